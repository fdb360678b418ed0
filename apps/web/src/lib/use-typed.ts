import { type ChangeEvent, useEffect, useRef, useState } from 'react'

/** How long (ms) typing rests before it narrows a list. */
const rest = 300

/** A text that is typed at once and told when typing rests; what changes it from outside shows when nobody types. */
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
  return {
    value: text,
    onChange: (event: ChangeEvent<HTMLInputElement>): void => {
      const typed = event.target.value
      setText(typed)
      clearTimeout(timer.current)
      timer.current = setTimeout(() => {
        timer.current = undefined
        latest.current(typed.trim())
      }, rest)
    },
  }
}
