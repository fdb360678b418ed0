import { CircleAlert } from 'lucide-react'
import { type ReactNode, useId, useMemo, useRef } from 'react'
import { lineOf } from '../../../../lib/format/json-places.ts'
import { CodeEditor, type CodeHandle } from '../../../../ui/code/code-editor.tsx'
import type { SchemaText } from './schema-text.ts'

/** A field for the JSON text of a schema, with the error below it and a link to its position. */
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
  /** The result of parsing the text: the schema or an error. Undefined until the text was parsed. */
  read: SchemaText | undefined
  /** Shown below the editor while there is no error. */
  children?: ReactNode
}) => {
  const note = useId()
  const area = useRef<CodeHandle>(null)
  const mistake = read !== undefined && 'message' in read ? read : undefined
  const place = useMemo(() => (mistake === undefined ? undefined : lineOf(text, mistake.offset)), [text, mistake])
  return (
    <div className="space-y-2">
      <CodeEditor
        ref={area}
        language="json"
        label={label}
        value={text}
        onChange={onText}
        mistakeLine={place?.line}
        describedBy={note}
      />
      <div id={note} aria-live="polite" className="min-h-5 text-xs">
        {mistake !== undefined && place !== undefined ? (
          <p className="flex items-start gap-1.5 text-danger-ink">
            <CircleAlert aria-hidden className="mt-0.5 size-3.5 shrink-0" />
            <span className="min-w-0 break-words">
              <button
                type="button"
                className="rounded-sm font-medium underline underline-offset-2"
                onClick={() => area.current?.select(mistake.offset)}
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
