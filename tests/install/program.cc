// SPDX-License-Identifier: BSD-2-Clause
// A C++ program outside of petal's tree.
#include <petal.h>

#include <cstdio>
#include <memory>
#include <string>

int main()
{
    petal_options options = {};
    options.capacity = 1000;
    petal_filter *made = nullptr;
    if (petal_new(&options, &made) < 0)
        return 1;
    std::unique_ptr<petal_filter, decltype(&petal_free)> f(made, petal_free);
    const std::string rose = "rose", tulip = "tulip";
    petal_add(f.get(), rose.data(), rose.size());
    std::printf("%d %d\n", petal_contains(f.get(), rose.data(), rose.size()),
                petal_contains(f.get(), tulip.data(), tulip.size()));
    return 0;
}
