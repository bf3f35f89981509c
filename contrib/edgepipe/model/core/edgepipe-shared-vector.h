/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_SHARED_VECTOR_H
#define EDGEPIPE_SHARED_VECTOR_H

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace ns3::edgepipe
{

/**
 * @ingroup edgepipe
 *
 * A vector whose copies share their elements until one of them is edited, so that thousands of
 * devices may each have a model of their own.
 */
template <typename T>
class SharedVector
{
  public:
    using value_type = T;                                           //!< of an element
    using const_iterator = typename std::vector<T>::const_iterator; //!< see begin

    SharedVector() = default;

    /** @param elements of the vector */
    SharedVector(std::vector<T> elements)
        : m_elements(std::make_shared<std::vector<T>>(std::move(elements)))
    {
    }

    /** @param elements of the vector */
    SharedVector(std::initializer_list<T> elements)
        : SharedVector(std::vector<T>(elements))
    {
    }

    /** @return the elements, which no other vector shares any more */
    std::vector<T>& Edit()
    {
        if (!m_elements || m_elements.use_count() > 1)
        {
            m_elements = std::make_shared<std::vector<T>>(Get());
        }
        return *m_elements;
    }

    /** @return the elements */
    const std::vector<T>& Get() const
    {
        static const std::vector<T> none;
        return m_elements ? *m_elements : none;
    }

    /** @return the elements */
    operator const std::vector<T>&() const
    {
        return Get();
    }

    /** @return the first element's place */
    const_iterator begin() const
    {
        return Get().begin();
    }

    /** @return the place behind the last element */
    const_iterator end() const
    {
        return Get().end();
    }

    /** @return number of elements */
    std::size_t size() const
    {
        return Get().size();
    }

    /** @return whether there is no element */
    bool empty() const
    {
        return Get().empty();
    }

    /**
     * @param place of an element
     * @return the element
     */
    const T& operator[](std::size_t place) const
    {
        return Get()[place];
    }

    /** @return the first element */
    const T& front() const
    {
        return Get().front();
    }

    /** @return the last element */
    const T& back() const
    {
        return Get().back();
    }

  private:
    std::shared_ptr<std::vector<T>> m_elements; //!< null: none
};

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_SHARED_VECTOR_H */
