/*
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "edgepipe-expression.h"

#include "edgepipe-input-error.h"
#include "edgepipe-join-words.h"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <set>

namespace ns3::edgepipe
{

namespace
{

/** Evaluates a text from left to right, by recursive descent. */
class ExpressionReader
{
  public:
    /**
     * @param text an expression
     * @param names values of names
     */
    ExpressionReader(const std::string& text, const std::map<std::string, double>& names)
        : m_text(text),
          m_names(names)
    {
    }

    /** @return value of the whole text */
    double Read()
    {
        const double value = ReadSum();
        Skip();
        Check(m_at == m_text.size(), "an operator or the end");
        Check(std::isfinite(value), "a finite value");
        return value;
    }

  private:
    /** Pass over spaces. */
    void Skip()
    {
        while (m_at < m_text.size() && std::isspace(static_cast<unsigned char>(m_text[m_at])))
        {
            ++m_at;
        }
    }

    /**
     * @param symbol one character
     * @return whether it stands next, and was passed
     */
    bool Accept(char symbol)
    {
        Skip();
        const bool isNext = m_at < m_text.size() && m_text[m_at] == symbol;
        m_at += isNext;
        return isNext;
    }

    /**
     * @param isGood whether the text is right so far
     * @param expected what should stand here
     */
    void Check(bool isGood, const std::string& expected) const
    {
        Require(isGood,
                "expression: found \"" + m_text + "\", expected " + expected + " at character " +
                    std::to_string(m_at + 1));
    }

    /** @return value of terms that are added */
    double ReadSum()
    {
        double value = ReadProduct();
        while (true)
        {
            if (Accept('+'))
            {
                value += ReadProduct();
            }
            else if (Accept('-'))
            {
                value -= ReadProduct();
            }
            else
            {
                return value;
            }
        }
    }

    /** @return value of factors that are multiplied */
    double ReadProduct()
    {
        double value = ReadFactor();
        while (true)
        {
            if (Accept('*'))
            {
                value *= ReadFactor();
            }
            else if (Accept('/'))
            {
                value /= ReadFactor();
            }
            else if (Accept('%'))
            {
                value = std::fmod(value, ReadFactor());
            }
            else
            {
                return value;
            }
        }
    }

    /** @return value of a number, a name, a function or a sum in brackets */
    double ReadFactor()
    {
        if (Accept('-'))
        {
            return -ReadFactor();
        }
        if (Accept('('))
        {
            const double value = ReadSum();
            Check(Accept(')'), "a closing bracket");
            return value;
        }
        const char* begin = m_text.c_str() + m_at;
        Check(m_at < m_text.size(), "a number or a name");
        if (std::isdigit(static_cast<unsigned char>(*begin)) || *begin == '.')
        {
            char* end = nullptr;
            const double value = std::strtod(begin, &end);
            Check(end != begin, "a number");
            m_at += end - begin;
            return value;
        }
        std::string name;
        while (m_at < m_text.size() && std::isalnum(static_cast<unsigned char>(m_text[m_at])))
        {
            name += m_text[m_at++];
        }
        return Accept('(') ? ReadFunction(name) : FindValue(name);
    }

    /**
     * @param name of a function whose bracket was passed
     * @return its value
     */
    double ReadFunction(const std::string& name)
    {
        const double first = ReadSum();
        double value = 0;
        if (name == "ceil" || name == "floor")
        {
            value = name == "ceil" ? std::ceil(first) : std::floor(first);
        }
        else
        {
            Check(name == "min" || name == "max", "ceil, floor, min or max");
            Check(Accept(','), "a comma");
            const double second = ReadSum();
            value = name == "min" ? std::min(first, second) : std::max(first, second);
        }
        Check(Accept(')'), "a closing bracket");
        return value;
    }

    /**
     * @param name of a value
     * @return the value
     */
    double FindValue(const std::string& name) const
    {
        const auto found = m_names.find(name);
        std::set<std::string> known;
        for (const auto& one : m_names)
        {
            known.insert(one.first);
        }
        Check(found != m_names.end(), "one of " + JoinWords(known));
        return found->second;
    }

    const std::string& m_text;                    //!< the expression
    const std::map<std::string, double>& m_names; //!< values of names
    std::size_t m_at{0};                          //!< next character
};

} // namespace

double
EvaluateExpression(const std::string& text, const std::map<std::string, double>& names)
{
    return ExpressionReader(text, names).Read();
}

} // namespace ns3::edgepipe
