/*
 * Copyright (c) 2026 The linux-host authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef NIC_MODEL_H
#define NIC_MODEL_H

#include "offload-features.h"

#include "ns3/host-machine.h"
#include "ns3/object.h"

#include <string>
#include <vector>

namespace ns3
{
namespace linuxhost
{

/**
 * @ingroup linux-host
 * What a network card and its driver are like: link, bus, rings, how descriptors get to the card,
 * when it interrupts, what it offloads, and the driver's work.
 *
 * All figures are attributes; a preset says where each comes from.
 */
class NicModel : public Object
{
  public:
    /**
     * @brief Get the type ID.
     * @return the object TypeId
     */
    static TypeId GetTypeId();
    NicModel();
    ~NicModel() override;

    /// @returns the presets' names: `myri10ge`, `mlx4`, `generic`
    static std::vector<std::string> GetNames();
    /**
     * @param name a preset's name
     * @returns the card, or null when there is no such preset
     */
    static Ptr<NicModel> Create(const std::string& name);

    /// @returns the card's name
    const std::string& GetName() const;
    /// @returns the driver's name for kernel symbols
    const std::string& GetDriver() const;
    /// @returns where the figures come from, with their values as they are now
    std::vector<Figure> GetFigures() const;
    /// @returns what the card can offload
    OffloadFlags GetFeatures() const;
    /// @returns what it can offload in frames with a tag
    OffloadFlags GetVlanFeatures() const;
    /**
     * How a frame is cut into descriptors.
     * @param bytes the frame's bytes
     * @returns descriptors, on average over where its buffers begin
     */
    double CountDescriptors(double bytes) const;
    /**
     * How a received frame lies in pages.
     * @param bytes the frame's bytes
     * @returns pages that it takes; two small frames share one
     */
    double CountPages(double bytes) const;

    double linkGbps;         //!< link, Gb/s
    double cableNs;          //!< from one end of the wire to the other, ns
    double pcieGbps;         //!< DMA in one direction, Gb/s
    double pcieReadNs;       //!< DMA read, there and back, ns
    double pcieWriteNs;      //!< DMA write, one way, ns
    double txRing;           //!< descriptors of a transmit ring
    double rxRing;           //!< buffers of a receive ring
    double queues;           //!< transmit and receive queues
    double stopSlots;        //!< a queue stops when fewer descriptors are free
    double wakeShare;        //!< it wakes when no more than this share is in use
    double descriptorBytes;  //!< bytes of a descriptor
    double descriptorReach;  //!< a buffer is cut at multiples of this address, bytes
    double pioBurst;         //!< bytes of descriptors that one write over the bus takes; 0: DMA
    double pioNs;            //!< what such a write and its barrier take, ns
    double doorbellNs;       //!< what a doorbell takes until it has left the CPU, ns
    double coalesceUs;       //!< time between two interrupts, us
    double coalesceSpreadUs; //!< an interrupt is late by up to so much, us
    double coalesceFrames;   //!< so many events interrupt at once; 0: any number waits
    double napiWeight;       //!< received frames of one poll
    double lroFrames;        //!< frames that LRO or GRO merges at most
    double lroFlows;         //!< flows that the driver's LRO holds at a time
    double sentInPoll;       //!< 1: each poll takes what was sent; 0: only an interrupt does
    double byteLimit;        //!< 1: byte queue limits (BQL)
    double xmitWork;         //!< driver, a frame, instructions
    double descriptorWork;   //!< driver, a descriptor, instructions
    double completionWork;   //!< driver, a completed frame, instructions
    double receiveWork;      //!< driver, a received frame, instructions
    double refillWrites;     //!< writes to the card for a new receive buffer
    double receiveTouch;     //!< lines of a received frame that the CPU reads first
    double interruptWork;    //!< driver's interrupt handler, instructions

  private:
    std::string m_name;            //!< name
    std::string m_driver;          //!< driver
    OffloadFlags m_features;       //!< features
    OffloadFlags m_vlanFeatures;   //!< inside a VLAN
    std::vector<Figure> m_sources; //!< where the figures come from
};

} // namespace linuxhost
} // namespace ns3

#endif /* NIC_MODEL_H */
