// A parallel loop that can be interrupted, shared by all kernels.
#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>

#include "core/rows.hpp"

namespace shoal {

using Tick = std::function<void(double)>;  // share done; throws to interrupt

// The number of workers: limited by the work and the hardware.
inline int worker_count(int64_t wanted, int64_t tasks) {
    auto hardware = static_cast<int64_t>(std::max(1u, std::thread::hardware_concurrency()));
    return static_cast<int>(std::max<int64_t>(1, std::min({wanted, tasks, 4 * hardware})));
}

struct Cancelled : std::exception {};

// Calls the tick now and then from the calling thread, and lets other threads notice an interruption.
class Pulse {
public:
    Pulse(const Tick& tick, std::atomic<bool>& cancelled, bool main) : tick_(tick), cancelled_(cancelled), main_(main) {}
    // For short steps: checks the clock at every 256th.
    void beat(double share) {
        share_ = share;
        if (!(++beats_ & 0xff)) look();
    }
    // For steps that may be long.
    void look() {
        if (cancelled_.load(std::memory_order_relaxed)) throw Cancelled();
        if (!main_) return;
        auto now = std::chrono::steady_clock::now();
        if (now - last_ < std::chrono::milliseconds(50)) return;
        last_ = now;
        tick_(share_);
    }

private:
    const Tick& tick_;
    std::atomic<bool>& cancelled_;
    bool main_;
    double share_ = 0;
    uint64_t beats_ = 0;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// A pulse for a loop in one thread that can be interrupted. Call it often. Copies count by themselves.
class Beat {
public:
    explicit Beat(const Tick& tick) : tick_(tick) {}
    void operator()() {
        if (++beats_ & 0xfff) return;
        auto now = std::chrono::steady_clock::now();
        if (now - last_ < std::chrono::milliseconds(50)) return;
        last_ = now;
        tick_(0.0);
    }

private:
    const Tick& tick_;
    uint64_t beats_ = 0;
    std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

// Runs body(worker, task, pulse) for every task. Free workers take tasks in order, so a result must not depend on which
// worker ran it. An exception in any of them stops all and is thrown to the caller.
template <class Body>
void parallel(int64_t tasks, int threads, const Tick& tick, Body body) {
    std::atomic<int64_t> next{0};
    std::atomic<bool> cancelled{false};
    std::atomic<int> running{threads - 1};
    std::mutex mutex;
    std::exception_ptr failure;
    auto work = [&](int worker, bool main) {
        Pulse pulse(tick, cancelled, main);
        try {
            for (int64_t task; (task = next.fetch_add(1)) < tasks && !cancelled.load(std::memory_order_relaxed);) {
                body(worker, task, pulse);
                pulse.look();
            }
        } catch (const Cancelled&) {
        } catch (...) {
            cancelled = true;
            std::lock_guard<std::mutex> lock(mutex);
            if (!failure) failure = std::current_exception();
        }
    };
    std::vector<std::thread> pool;
    for (int worker = 1; worker < threads; ++worker) try {
            pool.emplace_back([&, worker] {
                work(worker, false);
                --running;
            });
        } catch (const std::system_error&) {  // no more threads available: continue with those that run
            running -= threads - worker;
            break;
        }
    work(0, true);
    for (auto nap = std::chrono::microseconds(20); running.load() > 0;) {  // stay interruptible while the others finish
        std::this_thread::sleep_for(nap);
        nap = std::min(2 * nap, std::chrono::microseconds(2000));
        if (cancelled) continue;
        try {
            tick(std::min(1.0, static_cast<double>(next.load()) / static_cast<double>(std::max<int64_t>(1, tasks))));
        } catch (...) {
            cancelled = true;
            std::lock_guard<std::mutex> lock(mutex);
            if (!failure) failure = std::current_exception();
        }
    }
    for (auto& thread : pool) thread.join();
    if (failure) std::rethrow_exception(failure);
}

}  // namespace shoal
