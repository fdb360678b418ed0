import { useMemo, useRef } from 'react'
import { filterParts, jsonFilter, type TemplatePart, webhookVariables } from '../../lib/settings/template-parts.ts'
import { cn } from '../../ui/cn.ts'
import { CodeEditor, type CodeHandle } from '../../ui/code/code-editor.tsx'
import type { FieldControl } from '../../ui/forms/field.tsx'
import { SharedTooltip, Tooltip } from '../../ui/overlays/tooltip.tsx'
import { scrollable } from '../../ui/scrollable.ts'

/** If there are more variables and filters than this, their list scrolls. */
const manyParts = 16

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
  <fieldset className="min-w-0 pl-18 max-sm:pl-0">
    <legend className="float-left -ml-18 w-16 py-0.5 text-xs text-ink-3 max-sm:float-none max-sm:ml-0">{label}</legend>
    <div
      className={cn('flex flex-wrap gap-1.5', parts.length > manyParts && 'mb-1 max-h-26 overflow-y-auto scroll-thin')}
      {...(parts.length > manyParts ? scrollable : {})}
    >
      {parts.map((part) => (
        <Tooltip key={part.name} text={part.help}>
          <button
            type="button"
            disabled={disabled}
            aria-label={`Insert ${part.name}`}
            className="max-w-full truncate rounded-sm border border-line bg-canvas px-1.5 py-0.5 font-mono text-xs text-ink-2 hover:not-disabled:bg-hover hover:not-disabled:text-ink disabled:opacity-55 max-sm:py-1.5"
            onClick={() => onInsert(part)}
          >
            {part.name}
          </button>
        </Tooltip>
      ))}
    </div>
  </fieldset>
)

/**
 * A field for a Liquid template, with a list of variables and filters that can be inserted at the cursor. Its parent
 * shows the template's problem (`useTemplateProblem`) and applies it.
 */
export const TemplateEditor = ({
  control,
  value,
  onChange,
  disabled = false,
  variables = webhookVariables,
  filters = [...filterParts, jsonFilter],
  className = 'h-64',
}: {
  control: FieldControl
  value: string
  onChange: (value: string) => void
  disabled?: boolean
  variables?: readonly TemplatePart[]
  filters?: readonly TemplatePart[]
  className?: string
}) => {
  const area = useRef<CodeHandle>(null)
  const names = useMemo(() => variables.map(({ name }) => name), [variables])
  const insert = ({ insert: text }: TemplatePart): void => area.current?.insert(text)
  return (
    <div className="space-y-2">
      <CodeEditor
        ref={area}
        language="liquid"
        id={control.id}
        value={value}
        onChange={onChange}
        readOnly={disabled}
        invalid={control['aria-invalid'] === true}
        describedBy={control['aria-describedby']}
        variables={names}
        className={className}
      />
      <SharedTooltip>
        <Parts label="Variables" parts={variables} disabled={disabled} onInsert={insert} />
        <Parts label="Filters" parts={filters} disabled={disabled} onInsert={insert} />
      </SharedTooltip>
    </div>
  )
}
