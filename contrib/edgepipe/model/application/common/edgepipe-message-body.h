/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef EDGEPIPE_MESSAGE_BODY_H
#define EDGEPIPE_MESSAGE_BODY_H

#include <cstddef>
#include <cstdint>
#include <limits>
#include <sstream>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

namespace ns3::edgepipe
{

/**
 * The body of a message as text: fields in a fixed order, separated by blanks.
 *
 * A message's content is a struct with a constant NAME, for error messages, and a template
 *
 *     template <typename Body> void List(Body& body) { body("share", share)("rate", rate); }
 *
 * that lists its fields once, for both WriteBody and ReadBody. Fields are integers, bools (0 or 1),
 * doubles, and strings without blanks, which may be empty. A vector of such fields, or of structs
 * with a List, may follow; it extends to the body's end.
 */
class MessageBody
{
  public:
    /** A body to be written. */
    MessageBody();

    /**
     * A body to be read.
     * @param name of the content, for error messages
     * @param text the body; must outlive this object
     */
    MessageBody(const char* name, std::string_view text);

    /** @param digits of doubles written from now on; by default as many as are exact */
    void SetDigits(int digits)
    {
        m_text.precision(digits);
    }

    /**
     * Write or read a field.
     *
     * @param field its name, for error messages
     * @param value its value
     * @return the body
     * @throws InputError if the text holds no such value there
     */
    template <typename T>
    MessageBody& operator()(const char* field, T& value)
    {
        if (!m_isRead)
        {
            m_text << m_blank << value;
            m_blank = " ";
        }
        else if constexpr (std::is_same_v<T, bool>)
        {
            value = ReadInteger(field, 1) == 1;
        }
        else if constexpr (std::is_integral_v<T>)
        {
            value = static_cast<T>(ReadInteger(field, std::numeric_limits<T>::max()));
        }
        else
        {
            Read(field, value);
        }
        return *this;
    }

    /**
     * Write or read the fields, or structs with a List, up to the end of the body.
     *
     * @param field their name, for error messages
     * @param values their values
     * @throws InputError if the text holds anything else there
     */
    template <typename T>
    void Rest(const char* field, std::vector<T>& values)
    {
        for (std::size_t i = 0; HasMore(i < values.size()); ++i)
        {
            Element(field, values, i);
        }
    }

    /**
     * Write or read fields, or structs with a List, after their number.
     *
     * @param field their name, for error messages
     * @param values their values
     * @throws InputError if the text holds anything else there
     */
    template <typename T>
    void Counted(const char* field, std::vector<T>& values)
    {
        auto count = static_cast<uint32_t>(values.size());
        (*this)(field, count);
        for (std::size_t i = 0; i < count; ++i)
        {
            Element(field, values, i);
        }
    }

    /**
     * @param isWritten whether more fields are to be written
     * @return whether there are more fields, to be written or to be read
     */
    bool HasMore(bool isWritten) const
    {
        return m_isRead ? !m_isAtEnd : isWritten;
    }

    /**
     * @return what was written
     */
    std::string GetText() const
    {
        return m_text.str();
    }

    /** @throws InputError if unread text is left */
    void CheckEnd() const
    {
        if (!m_isAtEnd)
        {
            Fail("", m_left, "its end");
        }
    }

  private:
    /**
     * Write an element of a list, or read the next one.
     *
     * @param field name of the elements
     * @param values the list
     * @param i index of the element
     */
    template <typename T>
    void Element(const char* field, std::vector<T>& values, std::size_t i)
    {
        if (m_isRead)
        {
            values.emplace_back();
        }
        if constexpr (std::is_class_v<T>)
        {
            values[i].List(*this);
        }
        else
        {
            (*this)(field, values[i]);
        }
    }

    /**
     * @param field its name
     * @param most largest value
     * @return the next integer
     */
    uint64_t ReadInteger(const char* field, uint64_t most);

    /**
     * @param field its name
     * @param value set to the next number
     */
    void Read(const char* field, double& value);

    /**
     * @param field its name
     * @param value set to the next word
     */
    void Read(const char* field, std::string& value);

    /** @return the next field; its data is null at the end of the body */
    std::string_view TakeField();

    /**
     * @param place name of the field; may be empty
     * @param found field that Take returned
     * @param expected description of the expected one
     * @throws InputError naming all three
     */
    [[noreturn]] void Fail(const std::string& place,
                           std::string_view found,
                           const std::string& expected) const;

    bool m_isRead{false};      //!< whether the body is read, not written
    const char* m_name{""};    //!< of the content
    std::ostringstream m_text; //!< written so far
    const char* m_blank{""};   //!< precedes the next field written
    bool m_isAtEnd{true};      //!< whether all has been read
    std::string_view m_left;   //!< not yet read
};

/**
 * @param value a struct with a List, see MessageBody
 * @return it as a message's body
 */
template <typename T>
std::string
WriteBody(T value)
{
    MessageBody body;
    value.List(body);
    return body.GetText();
}

/**
 * @tparam T a struct with a List and a NAME, see MessageBody
 * @param text what WriteBody returned
 * @return the value
 * @throws InputError naming the field, what was found and what was expected, if the text is
 *         malformed
 */
template <typename T>
T
ReadBody(const std::string& text)
{
    T value{};
    MessageBody body(T::NAME, text);
    value.List(body);
    body.CheckEnd();
    return value;
}

} // namespace ns3::edgepipe

#endif /* EDGEPIPE_MESSAGE_BODY_H */
