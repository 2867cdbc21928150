/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "batch-means.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ns3
{
namespace linuxhost
{

namespace
{

/// Batches are joined in pairs when there are so many.
const std::size_t MOST_BATCHES = 64;
/// Fewer batches give no interval.
const std::size_t FEWEST_BATCHES = 10;
/// An interval is believed when the batch means are no more correlated than this.
const double STRONG_CORRELATION = 0.6;

} // namespace

BatchMeans::BatchMeans()
    : m_batchSize(1),
      m_open(0),
      m_inOpen(0),
      m_sum(0),
      m_count(0),
      m_settled(false)
{
}

void
BatchMeans::Add(double value)
{
    m_sum += value;
    ++m_count;
    m_open += value;
    if (++m_inOpen < m_batchSize)
    {
        return;
    }
    m_batches.push_back(m_open / m_batchSize);
    m_open = 0;
    m_inOpen = 0;
    if (m_batches.size() == MOST_BATCHES)
    {
        m_settled = GetCorrelation() < STRONG_CORRELATION;
        for (std::size_t i = 0; i < MOST_BATCHES / 2; ++i)
        {
            m_batches[i] = (m_batches[2 * i] + m_batches[2 * i + 1]) / 2;
        }
        m_batches.resize(MOST_BATCHES / 2);
        m_batchSize *= 2;
    }
}

uint64_t
BatchMeans::GetCount() const
{
    return m_count;
}

double
BatchMeans::GetMean() const
{
    return m_count ? m_sum / m_count : 0;
}

double
BatchMeans::GetHalfWidth() const
{
    std::size_t n = m_batches.size();
    if (n < FEWEST_BATCHES)
    {
        return std::numeric_limits<double>::infinity();
    }
    double mean = 0;
    for (double batch : m_batches)
    {
        mean += batch / n;
    }
    double squares = 0;
    for (double batch : m_batches)
    {
        squares += (batch - mean) * (batch - mean);
    }
    double correlation = std::min(std::max(0.0, GetCorrelation()), STRONG_CORRELATION);
    return StudentT(static_cast<uint32_t>(n - 1)) * std::sqrt(squares / (n - 1) / n) *
           std::sqrt((1 + correlation) / (1 - correlation));
}

double
BatchMeans::GetCorrelation() const
{
    std::size_t n = m_batches.size();
    double mean = 0;
    for (double batch : m_batches)
    {
        mean += batch / n;
    }
    double squares = 0;
    double products = 0;
    for (std::size_t i = 0; i < n; ++i)
    {
        squares += (m_batches[i] - mean) * (m_batches[i] - mean);
        if (i > 0)
        {
            products += (m_batches[i] - mean) * (m_batches[i - 1] - mean);
        }
    }
    return squares > 0 ? products / squares : 0;
}

bool
BatchMeans::IsSettled() const
{
    return m_settled;
}

std::size_t
BatchMeans::FindWarmup(const std::vector<double>& series)
{
    const std::size_t FIVE = 5;
    std::vector<double> means;
    for (std::size_t i = 0; i + FIVE <= series.size(); i += FIVE)
    {
        double sum = 0;
        for (std::size_t j = 0; j < FIVE; ++j)
        {
            sum += series[i + j];
        }
        means.push_back(sum / FIVE);
    }
    std::size_t best = 0;
    double smallest = std::numeric_limits<double>::infinity();
    for (std::size_t drop = 0; drop <= means.size() / 2; ++drop)
    {
        std::size_t n = means.size() - drop;
        if (n < 2)
        {
            break;
        }
        double mean = 0;
        for (std::size_t i = drop; i < means.size(); ++i)
        {
            mean += means[i] / n;
        }
        double squares = 0;
        for (std::size_t i = drop; i < means.size(); ++i)
        {
            squares += (means[i] - mean) * (means[i] - mean);
        }
        double error = squares / (static_cast<double>(n) * n);
        if (error < smallest)
        {
            smallest = error;
            best = drop;
        }
    }
    return best * FIVE;
}

double
BatchMeans::StudentT(uint32_t degrees)
{
    // 97.5 % quantiles; beyond 30 degrees the Cornish-Fisher expansion around the normal quantile
    // is exact to four digits.
    static const double TABLE[] = {12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060,
                                   2.2622,  2.2281, 2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199,
                                   2.1098,  2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687, 2.0639,
                                   2.0595,  2.0555, 2.0518, 2.0484, 2.0452, 2.0423};
    const uint32_t SIZE = sizeof(TABLE) / sizeof(TABLE[0]);
    if (degrees == 0)
    {
        return std::numeric_limits<double>::infinity();
    }
    if (degrees <= SIZE)
    {
        return TABLE[degrees - 1];
    }
    const double Z = 1.959964;
    double n = degrees;
    return Z + (Z * Z * Z + Z) / (4 * n) +
           (5 * std::pow(Z, 5) + 16 * Z * Z * Z + 3 * Z) / (96 * n * n);
}

} // namespace linuxhost
} // namespace ns3
