import { CircleAlert } from 'lucide-react'
import { type ReactNode, useId, useMemo, useRef } from 'react'
import { CodeArea } from '../../ui/code-area.tsx'
import { lineOf, type SchemaText } from './schema-text.ts'

/** A text area for the JSON text of a schema; below it what is wrong, with a link to the place. */
export const SchemaJsonEditor = ({
  label,
  text,
  onText,
  read,
  children,
}: {
  label: string
  text: string
  onText: (text: string) => void
  /** What the text says; undefined while there is nothing to say of it. */
  read: SchemaText | undefined
  /** Stands below while nothing is wrong. */
  children?: ReactNode
}) => {
  const note = useId()
  const area = useRef<HTMLTextAreaElement>(null)
  const mistake = read !== undefined && 'message' in read ? read : undefined
  const place = useMemo(() => (mistake === undefined ? undefined : lineOf(text, mistake.offset)), [text, mistake])
  const goTo = (offset: number): void => {
    const element = area.current
    if (element === null) return
    element.focus()
    element.setSelectionRange(offset, offset)
    // 20 px a line; the mistake comes to stand a few lines below the top.
    element.scrollTop = Math.max(0, ((place?.line ?? 1) - 4) * 20)
    element.scrollLeft = Math.max(0, ((place?.column ?? 1) - 20) * 7)
  }
  return (
    <div className="space-y-2">
      <CodeArea ref={area} label={label} value={text} onChange={onText} mistakeLine={place?.line} describedBy={note} />
      <div id={note} aria-live="polite" className="min-h-5 text-xs">
        {mistake !== undefined && place !== undefined ? (
          <p className="flex items-start gap-1.5 text-danger-ink">
            <CircleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
            <span className="min-w-0 break-words">
              <button
                type="button"
                className="rounded-sm font-medium underline underline-offset-2"
                onClick={() => goTo(mistake.offset)}
              >
                Line {place.line}, column {place.column}
              </button>
              : {mistake.message}
            </span>
          </p>
        ) : (
          <span className="text-ink-3">{children}</span>
        )}
      </div>
    </div>
  )
}
