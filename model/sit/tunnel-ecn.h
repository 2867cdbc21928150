/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef TUNNEL_ECN_H
#define TUNNEL_ECN_H

#include <cstdint>

/**
 * @file
 * @ingroup linux-host
 * The two bits of explicit congestion notification across a tunnel, as Linux treats them.
 */

namespace ns3
{
namespace linuxhost
{

/// The ECN codepoints, in the low two bits of a TOS or traffic class octet.
enum EcnCodepoint : uint8_t
{
    ECN_NOT_ECT = 0, //!< the sender does not know ECN
    ECN_ECT_1 = 1,   //!< ECN-capable transport, codepoint 1
    ECN_ECT_0 = 2,   //!< ECN-capable transport, codepoint 0
    ECN_CE = 3,      //!< congestion experienced
};

/// The octet's two ECN bits.
constexpr uint8_t ECN_MASK = 0x03;

/// What decapsulation does with a packet.
struct EcnDecapsulation
{
    bool drop;     //!< an outer mark that an inner sender without ECN would never see
    bool suspect;  //!< a combination that no honest tunnel entry produces
    uint8_t inner; //!< the inner octet as it is handed on
};

/**
 * The outer octet at a tunnel's entry: the device's DSCP with the inner packet's ECN bits, but a CE
 * mark is not copied (RFC 3168 full functionality): the outer packet starts as ECT(0).
 * @param tos the octet that the device chose
 * @param inner the inner packet's octet
 * @returns the outer octet
 */
inline uint8_t
EncapsulateEcn(uint8_t tos, uint8_t inner)
{
    uint8_t ecn = inner & ECN_MASK;
    return (tos & ~ECN_MASK) | (ecn == ECN_CE ? uint8_t(ECN_ECT_0) : ecn);
}

/**
 * The inner octet at a tunnel's exit (RFC 6040 section 4.2).
 * @param outer the outer packet's octet
 * @param inner the inner packet's octet
 * @returns what to do
 */
inline EcnDecapsulation
DecapsulateEcn(uint8_t outer, uint8_t inner)
{
    uint8_t outerEcn = outer & ECN_MASK;
    EcnDecapsulation result{false, false, inner};
    switch (inner & ECN_MASK)
    {
    case ECN_NOT_ECT:
        result.drop = outerEcn == ECN_CE;
        result.suspect = outerEcn != ECN_NOT_ECT;
        break;
    case ECN_CE:
        break;
    default:
        // An outer CE is propagated; an outer ECT(1) turns ECT(0) into ECT(1).
        if (outerEcn == ECN_CE)
        {
            result.inner = inner | ECN_CE;
        }
        else if (outerEcn == ECN_ECT_1)
        {
            result.inner = (inner & ~ECN_MASK) | ECN_ECT_1;
        }
    }
    return result;
}

} // namespace linuxhost
} // namespace ns3

#endif /* TUNNEL_ECN_H */
