// Times one of Boost's sequential searches on a network, for comparison with ours.
//
//   boost_search SEARCH NETWORK RUNS DISTANCES
//
// SEARCH     dijkstra or bellman-ford: dijkstra_shortest_paths or bellman_ford_shortest_paths
// NETWORK    a file of int64 n, m, source; int64 offsets [n + 1]; int32 targets [m], weights [m]
// DISTANCES  where int64 distances [n] are written, -1 for a node without a path
//
// Prints the milliseconds of each run, a line each. A run is the call alone: the graph is in memory, in Boost's own
// compressed sparse rows, and the arrays of distances and predecessors are there.

#include <boost/graph/bellman_ford_shortest_paths.hpp>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/dijkstra_shortest_paths.hpp>

#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

namespace {

struct Arc {
    std::int64_t weight;
};

using Graph = boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, Arc, boost::no_property,
                                                 std::int64_t, std::int64_t>;
constexpr std::int64_t kNoPath = std::numeric_limits<std::int64_t>::max();

template <typename T>
std::vector<T> read_array(std::ifstream& file, std::size_t count) {
    std::vector<T> values(count);
    file.read(reinterpret_cast<char*>(values.data()), static_cast<std::streamsize>(count * sizeof(T)));
    if (!file) {
        std::cerr << "the network's file ends too soon\n";
        std::exit(1);
    }
    return values;
}

}  // namespace

int main(int count, char** words) {
    if (count != 5) {
        std::cerr << "boost_search SEARCH NETWORK RUNS DISTANCES\n";
        return 2;
    }
    const bool dijkstra = std::string(words[1]) == "dijkstra";
    std::ifstream file(words[2], std::ios::binary);
    const auto sizes = read_array<std::int64_t>(file, 3);
    const std::int64_t n = sizes[0], m = sizes[1], source = sizes[2];
    const auto offsets = read_array<std::int64_t>(file, static_cast<std::size_t>(n + 1));
    const auto targets = read_array<std::int32_t>(file, static_cast<std::size_t>(m));
    const auto weights = read_array<std::int32_t>(file, static_cast<std::size_t>(m));

    std::vector<std::pair<std::int64_t, std::int64_t>> arcs;
    std::vector<Arc> properties;
    arcs.reserve(static_cast<std::size_t>(m));
    properties.reserve(static_cast<std::size_t>(m));
    for (std::int64_t node = 0; node < n; ++node) {
        for (std::int64_t i = offsets[node]; i < offsets[node + 1]; ++i) {
            arcs.emplace_back(node, targets[i]);
            properties.push_back({weights[i]});
        }
    }
    const Graph graph(boost::edges_are_sorted, arcs.begin(), arcs.end(), properties.begin(), n);

    std::vector<std::int64_t> distances(static_cast<std::size_t>(n)), parents(static_cast<std::size_t>(n));
    const auto index = get(boost::vertex_index, graph);
    const auto distance_map = boost::make_iterator_property_map(distances.begin(), index);
    const auto parent_map = boost::make_iterator_property_map(parents.begin(), index);
    const auto weight_map = get(&Arc::weight, graph);

    for (int run = 0; run < std::atoi(words[3]); ++run) {
        const auto begin = std::chrono::steady_clock::now();
        if (dijkstra) {
            boost::dijkstra_shortest_paths(
                graph, source, boost::weight_map(weight_map).distance_map(distance_map).predecessor_map(parent_map));
        } else {
            boost::bellman_ford_shortest_paths(graph, n,
                                               boost::weight_map(weight_map)
                                                   .distance_map(distance_map)
                                                   .predecessor_map(parent_map)
                                                   .root_vertex(source));
        }
        const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - begin;
        std::printf("%.6f\n", took.count());
        std::fflush(stdout);
    }
    for (auto& distance : distances) {
        if (distance == kNoPath) distance = -1;
    }
    std::ofstream written(words[4], std::ios::binary);
    written.write(reinterpret_cast<const char*>(distances.data()),
                  static_cast<std::streamsize>(distances.size() * sizeof(std::int64_t)));
    return written.good() ? 0 : 1;
}
