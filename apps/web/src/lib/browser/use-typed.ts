import { type ChangeEvent, useEffect, useRef, useState } from 'react'

/** Time in ms without typing after which a list is narrowed. */
const rest = 300

/**
 * Holds the text of an input. It shows each typed key immediately, and calls `report` when typing pauses or the field
 * is left. So a list that the text filters is up to date before a click on it. A change of `value` from outside is
 * shown while the user does not type.
 */
export const useTyped = (value: string, report: (text: string) => void) => {
  const [text, setText] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // Another filter can change before typing stops, so the latest `report` is called.
  const latest = useRef(report)
  useEffect(() => {
    latest.current = report
  })
  useEffect(() => {
    if (timer.current === undefined) setText(value)
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const reportNow = (typed: string): void => {
    timer.current = undefined
    latest.current(typed.trim())
  }
  return {
    value: text,
    onBlur: (): void => {
      if (timer.current === undefined) return
      clearTimeout(timer.current)
      reportNow(text)
    },
    onChange: (event: ChangeEvent<HTMLInputElement>): void => {
      const typed = event.target.value
      setText(typed)
      clearTimeout(timer.current)
      timer.current = setTimeout(() => reportNow(typed), rest)
    },
  }
}
