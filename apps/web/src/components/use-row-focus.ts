import { useEffect, useRef } from 'react'

/** Moves the focus to a part of a row after the list has changed. Each row has its index as `data-row`. */
export const useRowFocus = (rows: readonly unknown[]) => {
  const list = useRef<HTMLOListElement>(null)
  const next = useRef<string | undefined>(undefined)
  useEffect(() => {
    if (next.current === undefined || rows.length === 0) return
    list.current?.querySelector<HTMLElement>(next.current)?.focus()
    next.current = undefined
  }, [rows])
  return { list, focus: (row: number, part: string) => void (next.current = `[data-row="${row}"] ${part}`) }
}
