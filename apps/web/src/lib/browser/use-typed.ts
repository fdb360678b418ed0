import { type ChangeEvent, useEffect, useRef, useState } from 'react'

/** How long (ms) typing rests before it narrows a list. */
const rest = 300

/**
 * A text that is typed at once and told when typing rests or the field is left: whoever clicks on what the text narrows
 * sees it narrowed. What changes the text from outside shows when nobody types.
 */
export const useTyped = (value: string, tell: (text: string) => void) => {
  const [text, setText] = useState(value)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  // Another filter may change while typing rests: the latest knows of it.
  const latest = useRef(tell)
  useEffect(() => {
    latest.current = tell
  })
  useEffect(() => {
    if (timer.current === undefined) setText(value)
  }, [value])
  useEffect(() => () => clearTimeout(timer.current), [])
  const tellNow = (typed: string): void => {
    timer.current = undefined
    latest.current(typed.trim())
  }
  return {
    value: text,
    onBlur: (): void => {
      if (timer.current === undefined) return
      clearTimeout(timer.current)
      tellNow(text)
    },
    onChange: (event: ChangeEvent<HTMLInputElement>): void => {
      const typed = event.target.value
      setText(typed)
      clearTimeout(timer.current)
      timer.current = setTimeout(() => tellNow(typed), rest)
    },
  }
}
