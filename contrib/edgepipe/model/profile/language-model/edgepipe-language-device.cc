/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-language-device.h"

#include "ns3/edgepipe-json-reader.h"

namespace ns3::edgepipe
{

namespace
{

/**
 * @param field an object of operations
 * @param speeds set for those that it has
 */
void
ReadSpeeds(const JsonField& field, std::array<OperationSpeed, LANGUAGE_OPERATIONS>& speeds)
{
    const auto& names = GetLanguageOperationNames();
    field.CheckKeys({names.begin(), names.end()});
    for (const auto& [name, entry] : field.GetMembers())
    {
        entry.CheckKeys({"fixedSeconds", "bytesPerSecond", "flopPerSecond"});
        auto& speed = speeds[std::find(names.begin(), names.end(), name) - names.begin()];
        const auto fixed = entry.FindField("fixedSeconds");
        const auto bytes = entry.FindField("bytesPerSecond");
        const auto flop = entry.FindField("flopPerSecond");
        entry.Expect(bytes || flop, "bytesPerSecond, flopPerSecond or both");
        speed = {fixed ? fixed->GetNumber(0) : 0,
                 bytes ? bytes->GetPositiveNumber() : 0,
                 flop ? flop->GetPositiveNumber() : 0};
    }
}

} // namespace

double
OperationSpeed::GetSeconds(const LanguageWork& work, double calls) const
{
    return calls * fixedSeconds + std::max(bytesPerSecond > 0 ? work.bytes / bytesPerSecond : 0,
                                           flopPerSecond > 0 ? work.flop / flopPerSecond : 0);
}

LanguageDevice
ReadLanguageDevice(const std::string& path)
{
    const JsonField root = ReadJsonFile(path);
    root.CheckFormat("edgepipe-language-device 1");
    root.CheckKeys({"format",
                    "name",
                    "software",
                    "source",
                    "memoryBytes",
                    "diskBytesPerSecond",
                    "isDiskHidden",
                    "messageSeconds",
                    "byteSeconds",
                    "messageThreads",
                    "decode",
                    "prefill",
                    "fit"});
    LanguageDevice device;
    device.name = root.GetField("name").GetFileStem();
    device.software = root.GetField("software").GetName();
    root.GetField("source").GetName();
    device.memoryBytes = root.GetField("memoryBytes").GetInteger(1);
    const auto read = [&root](const char* key) {
        const auto field = root.FindField(key);
        return field ? field->GetNumber(0) : 0;
    };
    device.messageSeconds = read("messageSeconds");
    device.byteSeconds = read("byteSeconds");
    device.disk.bytesPerSecond = read("diskBytesPerSecond");
    const auto isHidden = root.FindField("isDiskHidden");
    device.disk.isHidden = isHidden && isHidden->GetBoolean();
    if (const auto threads = root.FindField("messageThreads"))
    {
        device.messageThreads = threads->GetInteger(0, 1024);
    }
    const JsonField decode = root.GetField("decode");
    for (const char* name : {"block", "head", "attention"})
    {
        decode.GetField(name);
    }
    ReadSpeeds(decode, device.decode);
    if (!decode.FindField("experts"))
    {
        device.decode[EXPERT_OPERATION] = device.decode[BLOCK_OPERATION];
        device.decode[EXPERT_OPERATION].fixedSeconds = 0;
    }
    device.prefill = device.decode;
    if (const auto prefill = root.FindField("prefill"))
    {
        ReadSpeeds(*prefill, device.prefill);
    }
    return device;
}

} // namespace ns3::edgepipe
