/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef BATCH_MEANS_H
#define BATCH_MEANS_H

#include <cstdint>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * The mean of a correlated series, with a confidence interval from batch means.
 *
 * Observations are gathered in batches. When there are 64, neighbours are joined into 32 of twice
 * the length: batches grow until their means are hardly correlated any more, and memory does not.
 */
class BatchMeans
{
  public:
    BatchMeans();

    /// @param value the next observation
    void Add(double value);
    /// @returns the number of observations
    uint64_t GetCount() const;
    /// @returns the mean of all observations
    double GetMean() const;
    /**
     * @returns the half-width of the 95 % confidence interval; infinite with under 10 batches. What
     *          correlation is left between the batch means (as a first-order process) widens it.
     */
    double GetHalfWidth() const;
    /**
     * @returns whether the interval can be believed: when batches were last joined, their means
     * were not strongly correlated (lag-1 autocorrelation under 0.6). It is looked at then only:
     *          who looks after each observation stops at a moment that flatters.
     */
    bool IsSettled() const;

    /**
     * How much of a series is warm-up, by MSER-5 (White, 1997): the truncation that gives the
     * smallest standard error of what is left, over batches of five, in the first half.
     * @param series the series
     * @returns how many observations to drop
     */
    static std::size_t FindWarmup(const std::vector<double>& series);
    /**
     * @param degrees degrees of freedom, 1 or more
     * @returns the 97.5 % quantile of Student's t
     */
    static double StudentT(uint32_t degrees);

  private:
    /// @returns lag-1 autocorrelation of the batch means
    double GetCorrelation() const;

    std::vector<double> m_batches; //!< means of the full batches
    uint64_t m_batchSize;          //!< observations a batch
    double m_open;                 //!< sum of the open batch
    uint64_t m_inOpen;             //!< observations in the open batch
    double m_sum;                  //!< sum of all observations
    uint64_t m_count;              //!< number of observations
    bool m_settled;                //!< not strongly correlated when batches were last joined
};

} // namespace linuxhost
} // namespace ns3

#endif /* BATCH_MEANS_H */
