/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EXAMPLE_OPTIONS_H
#define EXAMPLE_OPTIONS_H

#include "ns3/attribute.h"
#include "ns3/json-text.h"

#include <cstdint>
#include <fstream>
#include <functional>
#include <map>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * The command line of the pack's examples.
 *
 * ns3::CommandLine answers a wrong option with its whole help and exit code 1; a sweep needs one
 * line that names the option, the value and what is allowed, and exit code 2. This class checks
 * everything before anything runs, and hands over to ns3::CommandLine what is ns-3's own:
 * `--RngRun=2`, `--SchedulerType=...`, `--ns3::Class::Attribute=value`, `--PrintTypeIds` and
 * their like.
 */
class ExampleOptions
{
  public:
    /// Checks a value; returns the empty string, or what is allowed.
    using Checker = std::function<std::string(const std::string&)>;

    /**
     * @param program the example's name, which starts each message
     * @param about one sentence for the help
     */
    ExampleOptions(const std::string& program, const std::string& about);

    /**
     * Add an option whose value is one of a list of words.
     * @param name the option's name, without dashes
     * @param help one sentence
     * @param choices the words
     * @param value where the value goes; what it holds now is the default
     * @param both the choices that the choice `both` stands for, which a sweep plays one by one
     */
    void AddChoice(const std::string& name,
                   const std::string& help,
                   const std::vector<std::string>& choices,
                   std::string* value,
                   const std::vector<std::string>& both = {});
    /**
     * Add an option with an integer value.
     * @param name the option's name, without dashes
     * @param help one sentence
     * @param min smallest value allowed
     * @param max largest value allowed
     * @param value where the value goes; what it holds now is the default
     * @param unit the unit, for the help
     */
    void AddInteger(const std::string& name,
                    const std::string& help,
                    int64_t min,
                    int64_t max,
                    int64_t* value,
                    const std::string& unit = "");
    /**
     * Add an option with a real value.
     * @param name the option's name, without dashes
     * @param help one sentence
     * @param min smallest value allowed
     * @param max largest value allowed
     * @param value where the value goes; what it holds now is the default
     * @param unit the unit, for the help
     */
    void AddReal(const std::string& name,
                 const std::string& help,
                 double min,
                 double max,
                 double* value,
                 const std::string& unit = "");
    /**
     * Add an option with a free text value.
     * @param name the option's name, without dashes
     * @param help one sentence
     * @param value where the value goes; what it holds now is the default
     * @param form how a value looks, for the help (`FILE`, `PREFIX`)
     * @param checker checks the value; empty: every text will do
     */
    void AddText(const std::string& name,
                 const std::string& help,
                 std::string* value,
                 const std::string& form = "TEXT",
                 Checker checker = nullptr);
    /**
     * Add a switch: `--name`, `--name=1`, `--name=0`.
     * @param name the option's name, without dashes
     * @param help one sentence
     * @param value where the value goes; what it holds now is the default
     */
    void AddSwitch(const std::string& name, const std::string& help, bool* value);
    /**
     * Say which attributes options set. One that is given as an attribute, by
     * `--ns3::Class::Attribute=value` or by ns-3's NS_ATTRIBUTE_DEFAULT, is read as its option
     * would be; where both are given, the option holds. True and false of an attribute are the
     * second and the first choice of an option that has choices.
     * @param typeId the name of the TypeId that has the attributes
     * @param attributes pairs of an option, without dashes, and an attribute; with `!` before it,
     *        one that is true where the option is false
     */
    void Bind(const std::string& typeId,
              const std::vector<std::pair<std::string, std::string>>& attributes);

    /**
     * Read the command line.
     * @param argc number of arguments
     * @param argv the arguments
     * @param[out] exitCode what main() should return when this returns false: 0 after `--help`
     *             or `--describe`, 2 after an error (which has been printed)
     * @returns whether to go on
     */
    bool Parse(int argc, char* argv[], int* exitCode);

    /**
     * Print a one-line error about an option.
     * @param name the option's name, without dashes
     * @param value the refused value
     * @param allowed what is allowed
     * @returns 2, the exit code for it
     */
    int Fail(const std::string& name, const std::string& value, const std::string& allowed) const;
    /**
     * Print a one-line error.
     * @param message the message
     * @returns 2, the exit code for it
     */
    int Fail(const std::string& message) const;

    /**
     * @param name an option's name
     * @returns whether it was given on the command line
     */
    bool IsGiven(const std::string& name) const;
    /**
     * @param typeId the name of a TypeId
     * @returns its attributes that were given, as `NAME=VALUE,...`
     */
    std::string GetAttributes(const std::string& typeId) const;
    /**
     * @param name an attribute, as `ns3::Class::Attribute`
     * @param[out] value what was given for it
     * @returns whether it was given
     */
    bool GetAttribute(const std::string& name, std::string* value) const;
    /**
     * ns-3 aborts on text that is no number, or no time; so these are looked at first.
     * @param checker the checker of an attribute or a global value
     * @param text the text that it is to be set to
     * @returns the empty string, or what is allowed
     */
    static std::string CheckValue(const AttributeChecker& checker, const std::string& text);

  private:
    /// One option.
    struct Option
    {
        std::string name;                                   //!< without dashes
        std::string help;                                   //!< one sentence
        std::string kind;                                   //!< choice, integer, real, text, switch
        std::string form;                                   //!< what the help prints after `=`
        std::string unit;                                   //!< unit, or empty
        std::string defaultText;                            //!< default, as text
        std::vector<std::string> choices;                   //!< of a choice
        double min;                                         //!< of a number
        double max;                                         //!< of a number
        std::function<std::string(const std::string&)> set; //!< sets; "" or what is allowed
        bool given;                                         //!< seen on the command line
        std::vector<std::string> both{};                    //!< what the choice "both" means
        std::string attribute{};                            //!< the attribute that it sets
        bool isAttributeBoolean{false};                     //!< whether that is true or false
        bool isAttributeInverse{false};                     //!< whether it is so the other way
        std::string spelled{};                              //!< how it was given, if not by name
        std::string spelledValue{};                         //!< and as what
    };

    /**
     * Read the options that were given as attributes.
     * @returns whether all could be read; else one line has been printed
     */
    bool ReadBound();
    /// Find what NS_ATTRIBUTE_DEFAULT gives, which ns-3 itself reads when an object is made.
    void ReadEnvironment();

    /// @param os where the help goes
    void PrintHelp(std::ostream& os) const;
    /// @param os where the description (one JSON object) goes
    void PrintDescription(std::ostream& os) const;
    /**
     * Check an argument that belongs to ns-3 itself.
     * @param name the argument's name
     * @param value its value
     * @param hasValue whether it has one
     * @returns the empty string, or what is wrong
     */
    static std::string CheckNs3(const std::string& name, const std::string& value, bool hasValue);

    std::string m_program;                           //!< the example's name
    std::string m_about;                             //!< one sentence
    std::vector<Option> m_options;                   //!< in the order they were added
    std::map<std::string, std::string> m_attributes; //!< attributes of ns-3 that were given
};

/**
 * @ingroup linux-host
 * A file that appears whole or not at all.
 *
 * What is written goes to a temporary file beside the wanted one, which Commit() renames. `-` is
 * standard output.
 */
class OutputFile
{
  public:
    OutputFile() = default;
    /// Removes the temporary file when Commit() was not called.
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    /// @param path a file that the program reads: Open() refuses it from then on
    static void Keep(const std::string& path);
    /**
     * @param path the file's path, or `-`
     * @returns the empty string, or why the file cannot be written
     */
    std::string Open(const std::string& path);
    /// @returns the stream to write to
    std::ostream& Stream();
    /**
     * Put the file in its place.
     * @returns the empty string, or why it could not be written
     */
    std::string Commit();

  private:
    std::string m_path;      //!< where the file should be
    std::string m_temporary; //!< where it is until Commit()
    std::ofstream m_file;    //!< the temporary file
};

/**
 * @ingroup linux-host
 * Print a text in lines of at most 80 columns.
 * @param os the stream
 * @param text the text
 * @param indent what each line starts with
 */
void PrintFolded(std::ostream& os, const std::string& text, const std::string& indent);

/**
 * @ingroup linux-host
 * @param path a file's path
 * @returns whether it is there and can be read as a file (a folder cannot)
 */
bool IsRegularInput(const std::string& path);

} // namespace linuxhost
} // namespace ns3

#endif /* EXAMPLE_OPTIONS_H */
