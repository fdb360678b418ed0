import { Pencil } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '../button.tsx'
import { CodeEditor, type CodeHandle } from '../code/code-editor.tsx'
import { scrollable } from '../scrollable.ts'
import type { FieldControl } from './field.tsx'

/**
 * An SQL query. While closed, it shows the query, with a button for editing it unless it is locked. While open, it is
 * an editor. The parent component saves or cancels, and passes the error.
 */
export const QueryEditor = ({
  control,
  label,
  value,
  onChange,
  open,
  onOpen,
  locked,
  disabled,
}: {
  control: FieldControl
  label: string
  value: string
  onChange: (value: string) => void
  open: boolean
  onOpen: () => void
  /** True if no user can edit the query. */
  locked: boolean
  disabled: boolean
}) => {
  const editor = useRef<CodeHandle>(null)
  if (!open)
    return (
      <div className="flex items-start gap-3 rounded-lg border border-line bg-code p-1.5 pl-3">
        {value === '' ? (
          <p id={control.id} className="flex-1 py-1 text-sm text-ink-3">
            No query yet
          </p>
        ) : (
          <pre
            {...scrollable}
            id={control.id}
            aria-label={label}
            className="max-h-32 min-w-0 flex-1 overflow-auto scroll-thin py-1.5 font-mono text-xs leading-5 text-ink"
          >
            {value}
          </pre>
        )}
        {!locked && (
          <Button size="sm" aria-label={`Edit ${label}`} disabled={disabled} onClick={onOpen}>
            <Pencil aria-hidden />
            Edit
          </Button>
        )}
      </div>
    )
  return (
    <CodeEditor
      ref={editor}
      language="sql"
      id={control.id}
      value={value}
      onChange={onChange}
      readOnly={disabled}
      invalid={control['aria-invalid'] === true}
      describedBy={control['aria-describedby']}
      hint="select …"
      className="h-48"
    />
  )
}
