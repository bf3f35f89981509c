#include "studies/fidelity-case.h"
#include "lib/scenario-options.h"
#include <fstream>
#include <iostream>
#include <sstream>
#include <cmath>
#include <algorithm>
using namespace ns3::edgepipe;
using namespace ns3;
// lines: packetSeconds runs oldDiff|case
int main(int argc, char* argv[])
{
    return RunScenario("zz", [argc, argv] {
        std::vector<double> all, old;
        std::ifstream f(argv[1]);
        for (std::string line; std::getline(f, line);)
        {
            const auto bar = line.find('|');
            std::istringstream in(line.substr(0, bar));
            double p, o; uint32_t r; in >> p >> r >> o;
            auto one = FidelityCase::Make(line.substr(bar + 1), "");
            auto x = one->Run(one->GetNetwork("flow"), r);
            double d = x.seconds / p - 1;
            all.push_back(std::abs(d)); old.push_back(std::abs(o));
            if (std::abs(d) > 0.01 || std::abs(o) > 0.01)
                std::printf("%+7.2f -> %+7.2f %%  %s\n", 100 * o, 100 * d, line.substr(bar + 1).c_str());
        }
        for (auto* v : {&old, &all}) { std::sort(v->begin(), v->end()); auto q=[&](double s){return 100*(*v)[std::max(0.0,std::ceil(s*v->size())-1)];}; std::printf("n %zu median %.2f p90 %.2f p95 %.2f worst %.2f\n", v->size(), q(.5), q(.9), q(.95), q(1)); }
        return 0;
    });
}
