/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-q-network.h"

#include "ns3/edgepipe-input-error.h"
#include "ns3/edgepipe-library.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <dlfcn.h>
#include <fcntl.h>
#include <sstream>
#include <sys/file.h>
#include <unistd.h>

namespace ns3::edgepipe
{

namespace
{

using Factory = QNetwork* (*)(const QNetworkShape& shape, double learningRate);

#ifdef EDGEPIPE_LEARNING_LIBRARY

/** Waits until the launcher, which builds the library while the program runs, is done. */
void
AwaitLibrary()
{
    const char* lock = std::getenv("EDGEPIPE_LEARNING_LOCK");
    const int file = lock ? open(lock, O_RDONLY | O_CLOEXEC) : -1;
    if (file >= 0)
    {
        flock(file, LOCK_SH);
        close(file);
    }
}

/**
 * @return the factory of networks, from the library beside this one
 * @throws InputError when there is none
 */
Factory
OpenFactory()
{
    AwaitLibrary();
    const std::string path = GetLibraryFolder() + "/" + EDGEPIPE_LEARNING_LIBRARY;
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* symbol = library ? dlsym(library, "EdgepipeMakeQNetwork") : nullptr;
    if (!symbol)
    {
        throw InputError(std::string("cannot open the library that learns: ") + dlerror() +
                         ", expected one built with LibTorch (target edgepipe-learning)");
    }
    return reinterpret_cast<Factory>(symbol);
}

#else

Factory
OpenFactory()
{
    throw InputError("this build is without LibTorch; install it (Debian: libtorch-dev) and "
                     "configure with -DEDGEPIPE_TORCH=ON");
}

#endif

} // namespace

std::size_t
QNetworkShape::CountWeights() const
{
    std::size_t count = 3 * recurrentUnits * (recurrentInputs + recurrentUnits + 2);
    std::size_t width = recurrentUnits + inputs;
    for (std::size_t units : hidden)
    {
        count += units * (width + 1);
        width = units;
    }
    return count + outputs * (width + 1);
}

void
QInputs::Add(const QState& state)
{
    ++rows;
    recurrent.insert(recurrent.end(), state.recurrent.begin(), state.recurrent.end());
    previous.insert(previous.end(), state.previous.begin(), state.previous.end());
    states.insert(states.end(), state.figures.begin(), state.figures.end());
}

std::unique_ptr<QNetwork>
MakeQNetwork(const QNetworkShape& shape, double learningRate)
{
    static const Factory factory = OpenFactory();
    return std::unique_ptr<QNetwork>(factory(shape, learningRate));
}

std::vector<float>
DrawQWeights(const QNetworkShape& shape, Ptr<UniformRandomVariable> random)
{
    std::vector<float> weights;
    auto draw = [&](std::size_t count, std::size_t inputs) {
        const double limit = 1 / std::sqrt(static_cast<double>(inputs));
        for (std::size_t i = 0; i < count; ++i)
        {
            weights.push_back(static_cast<float>(random->GetValue(-limit, limit)));
        }
    };
    const std::size_t units = shape.recurrentUnits;
    if (units > 0)
    {
        draw(3 * units * (shape.recurrentInputs + units + 2), units);
    }
    std::size_t width = units + shape.inputs;
    for (std::size_t hidden : shape.hidden)
    {
        draw(hidden * (width + 1), width);
        width = hidden;
    }
    draw(shape.outputs * (width + 1), width);
    return weights;
}

std::size_t
FindBestAction(const float* values, const std::vector<std::size_t>& allowed)
{
    return *std::max_element(allowed.begin(), allowed.end(), [=](std::size_t a, std::size_t b) {
        return values[a] < values[b];
    });
}

std::size_t
DrawAnyAction(const std::vector<std::size_t>& allowed, const Ptr<UniformRandomVariable>& random)
{
    return allowed[random->GetInteger(0, static_cast<uint32_t>(allowed.size() - 1))];
}

std::vector<std::size_t>
ParseHiddenUnits(const std::string& name, const std::string& text)
{
    std::vector<std::size_t> units;
    std::istringstream stream(text);
    std::string word;
    bool isGood = !text.empty() && text.back() != ',';
    while (isGood && std::getline(stream, word, ','))
    {
        isGood = !word.empty() && word.size() <= 5 &&
                 word.find_first_not_of("0123456789") == std::string::npos &&
                 std::stoul(word) >= 1 && std::stoul(word) <= 10000;
        units.push_back(isGood ? std::stoul(word) : 0);
    }
    Require(isGood,
            name + ": found \"" + text +
                "\", expected units of the hidden layers, 1 to 10000, such as 160,128,64");
    return units;
}

} // namespace ns3::edgepipe
