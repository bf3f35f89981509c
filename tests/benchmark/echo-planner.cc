// SPDX-License-Identifier: GPL-2.0-only
//
// A planner for benchmarks that takes no time: answers every line with the text of a file.
//
//   echo-planner FILE

#include <fstream>
#include <iostream>
#include <string>

int
main(int argc, char* argv[])
{
    std::ios::sync_with_stdio(false);
    std::string answer;
    std::getline(std::ifstream(argc > 1 ? argv[1] : ""), answer);
    for (std::string line; std::getline(std::cin, line);)
    {
        std::cout << answer << std::endl;
    }
    return 0;
}
