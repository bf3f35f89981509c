/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_INLINE_VECTOR_H
#define EDGEPIPE_INLINE_VECTOR_H

#include <algorithm>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <type_traits>
#include <utility>

namespace ns3
{
namespace edgepipe
{

/**
 * @ingroup edgepipe
 *
 * A vector that keeps its first items in itself, so that few items cost no other place in memory.
 * Once it has held more it keeps the room for them.
 *
 * @tparam T type of an item, trivially copyable
 * @tparam N how many items it has room for in itself, >= 1
 */
template <typename T, uint32_t N>
class InlineVector
{
    static_assert(std::is_trivially_copyable_v<T>, "items are moved as bytes");

  public:
    InlineVector() = default;

    /** @param items what it holds */
    InlineVector(std::initializer_list<T> items)
    {
        std::for_each(items.begin(), items.end(), [this](const T& item) { push_back(item); });
    }

    /**
     * Copy.
     * @param other stays as it is
     */
    InlineVector(const InlineVector& other)
        : m_heap(other.m_heap ? std::make_unique<T[]>(other.m_capacity) : nullptr),
          m_size(other.m_size),
          m_capacity(other.m_capacity)
    {
        std::copy_n(other.begin(), m_size, begin());
    }

    /**
     * Move.
     * @param other empty afterwards
     */
    InlineVector(InlineVector&& other) noexcept
        : m_heap(std::move(other.m_heap)),
          m_size(std::exchange(other.m_size, 0)),
          m_capacity(std::exchange(other.m_capacity, N))
    {
        std::copy_n(other.m_inline, N, m_inline);
    }

    /**
     * @param other what it holds from now on
     * @return this vector
     */
    InlineVector& operator=(InlineVector other) noexcept
    {
        m_heap = std::move(other.m_heap);
        m_size = other.m_size;
        m_capacity = other.m_capacity;
        std::copy_n(other.m_inline, N, m_inline);
        return *this;
    }

    /** @return the first item */
    T* begin()
    {
        return m_heap ? m_heap.get() : m_inline;
    }

    /** @return the first item */
    const T* begin() const
    {
        return m_heap ? m_heap.get() : m_inline;
    }

    /** @return behind the last item */
    T* end()
    {
        return begin() + m_size;
    }

    /** @return behind the last item */
    const T* end() const
    {
        return begin() + m_size;
    }

    /** @return how many items */
    std::size_t size() const
    {
        return m_size;
    }

    /** @return whether there is none */
    bool empty() const
    {
        return m_size == 0;
    }

    /**
     * @param index which item, < size
     * @return the item
     */
    T& operator[](std::size_t index)
    {
        return begin()[index];
    }

    /**
     * @param index which item, < size
     * @return the item
     */
    const T& operator[](std::size_t index) const
    {
        return begin()[index];
    }

    /** @return the first item; there is one */
    const T& front() const
    {
        return *begin();
    }

    /** @return the last item; there is one */
    const T& back() const
    {
        return begin()[m_size - 1];
    }

    /**
     * @param item put behind the last
     */
    void push_back(T item)
    {
        if (m_size == m_capacity)
        {
            auto heap = std::make_unique<T[]>(2 * m_capacity);
            std::copy_n(begin(), m_size, heap.get());
            m_heap = std::move(heap);
            m_capacity *= 2;
        }
        begin()[m_size++] = item;
    }

    /** Take the last item off; there is one. */
    void pop_back()
    {
        --m_size;
    }

    /** Take all items off. */
    void clear()
    {
        m_size = 0;
    }

  private:
    std::unique_ptr<T[]> m_heap; //!< all items, once they have been too many for m_inline
    uint32_t m_size{0};          //!< how many items
    uint32_t m_capacity{N};      //!< how many there is room for
    T m_inline[N];               //!< all items, until they are too many
};

} // namespace edgepipe
} // namespace ns3

#endif /* EDGEPIPE_INLINE_VECTOR_H */
