import { useRef } from 'react'
import { filterParts, jsonFilter, type TemplatePart, webhookVariables } from '../lib/template-parts.ts'
import { CodeArea, typeText } from './code-area.tsx'
import type { FieldControl } from './field.tsx'
import { Tooltip } from './tooltip.tsx'

const Parts = ({
  label,
  parts,
  disabled,
  onInsert,
}: {
  label: string
  parts: readonly TemplatePart[]
  disabled: boolean
  onInsert: (part: TemplatePart) => void
}) => (
  <fieldset className="flex min-w-0 flex-wrap gap-1.5 pl-18 max-sm:pl-0">
    <legend className="float-left -ml-18 w-16 py-0.5 text-xs text-ink-3 max-sm:ml-0 max-sm:w-full">{label}</legend>
    {parts.map((part) => (
      <Tooltip key={part.name} text={part.help}>
        <button
          type="button"
          disabled={disabled}
          aria-label={`Insert ${part.name}`}
          className="rounded-sm border border-line bg-canvas px-1.5 py-0.5 font-mono text-xs text-ink-2 hover:not-disabled:bg-hover hover:not-disabled:text-ink disabled:opacity-55 max-sm:py-1.5"
          onClick={() => onInsert(part)}
        >
          {part.name}
        </button>
      </Tooltip>
    ))}
  </fieldset>
)

/** A field for a Liquid template, with the variables and filters that can be put where the cursor is. */
export const TemplateEditor = ({
  control,
  value,
  onChange,
  disabled = false,
  variables = webhookVariables,
  filters = [...filterParts, jsonFilter],
}: {
  control: FieldControl
  value: string
  onChange: (value: string) => void
  disabled?: boolean
  variables?: readonly TemplatePart[]
  filters?: readonly TemplatePart[]
}) => {
  const area = useRef<HTMLTextAreaElement>(null)
  const insert = ({ insert: text }: TemplatePart): void => {
    area.current?.focus()
    typeText(text)
  }
  return (
    <div className="space-y-2">
      <CodeArea
        ref={area}
        id={control.id}
        value={value}
        onChange={onChange}
        readOnly={disabled}
        invalid={control['aria-invalid'] === true}
        describedBy={control['aria-describedby']}
        className="h-64"
      />
      <Parts label="Variables" parts={variables} disabled={disabled} onInsert={insert} />
      <Parts label="Filters" parts={filters} disabled={disabled} onInsert={insert} />
    </div>
  )
}
