import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type DestinationMappings, type EventMapping, pathNames, valueAt } from '@tributary/contract'
import { useMemo, useState } from 'react'
import type { EventField } from '../../lib/events/event-fields.ts'
import { mappingPreviewQuery } from '../../lib/queries/mapping-queries.ts'
import { templateProblem, useTemplateProblem } from '../../lib/settings/template-check.ts'
import { filterParts, type TemplatePart } from '../../lib/settings/template-parts.ts'
import { Button } from '../../ui/button.tsx'
import { CodeBlock } from '../../ui/code/code-block.tsx'
import { Field, FieldNote } from '../../ui/forms/field.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { useOpened } from '../../ui/overlays/use-opened.ts'
import { TemplateEditor } from '../settings/template-editor.tsx'
import { type FieldRow, type MappedDestination, newField, sendable } from './mapping-draft.ts'

/** Fields and variables that a template can use. */
const partsOf = (fields: readonly EventField[], variables: DestinationMappings['variables']): TemplatePart[] => [
  ...fields
    // A template cannot read names that contain dots.
    .filter(({ name }) => /^[\w.-]+$/.test(name))
    .map(({ name, display_name, example }) => ({
      name,
      help: example === '' ? display_name : `${display_name}, such as ${example}`,
      insert: `{{ ${name} }}`,
    })),
  ...variables.map(({ name, display_name }) => ({ name, help: display_name, insert: `{{ ${name} }}` })),
]

const Rendered = ({
  destination,
  mapping,
  row,
  template,
}: {
  destination: MappedDestination
  mapping: EventMapping
  row: FieldRow
  template: string
}) => {
  const made = useMemo(() => {
    const { field } = row
    const own = field ?? newField(row.target, mapping.field_mappings)
    const tried = {
      ...own,
      enabled: true,
      source: {
        type: 'TEMPLATE',
        value: template,
        display_name: '',
        is_event_name_key: false,
        kind: 'custom',
      } as const,
      target: own.target.name.trim() === '' ? { ...own.target, name: 'value' } : own.target,
    }
    const others = mapping.field_mappings.filter(({ id }) => id !== own.id)
    return { field: tried, mapping: sendable({ ...mapping, field_mappings: [...others, tried] }) }
  }, [mapping, row, template])
  const { data, error } = useQuery({
    ...mappingPreviewQuery(destination.name, { event_mapping: made.mapping }),
    placeholderData: keepPreviousData,
  })
  if (error !== null) return <p className="text-sm text-ink-2">{error.message}</p>
  if (data === undefined) return <p className="text-sm text-ink-3">Rendering…</p>
  if (data.event === null) return <p className="text-sm text-ink-2">{data.reason}.</p>
  const message = data.problems.find(({ field }) => field === made.field.id)
  if (message?.severity === 'error') return <p className="text-sm text-danger-ink">{message.message}</p>
  if (data.payload === '')
    return <p className="text-sm text-ink-2">Set the required fields of this mapping to see the result.</p>
  const value = valueAt(JSON.parse(data.payload), pathNames(made.field.target.name))
  if (value === undefined)
    return <p className="text-sm text-ink-2">Empty. The field is omitted for {data.event.title}.</p>
  return (
    <div className="space-y-2">
      <CodeBlock
        codes={[
          {
            title: `From the latest ${data.event.title}`,
            language: typeof value === 'string' ? 'text' : 'json',
            text: typeof value === 'string' ? value : JSON.stringify(value, null, 2),
          },
        ]}
        className="max-h-40 break-words whitespace-pre-wrap"
      />
      {message !== undefined && <FieldNote>{message.message}</FieldNote>}
    </div>
  )
}

/** The editor of a field's template: the values to use, the filters, and the result for the latest event. */
export const TemplateDialog = ({
  destination,
  mapping,
  row,
  value,
  fields,
  variables,
  onApply,
  onClosed,
}: {
  destination: MappedDestination
  mapping: EventMapping
  row: FieldRow
  value: string
  fields: readonly EventField[]
  variables: DestinationMappings['variables']
  onApply: (value: string) => void
  onClosed: () => void
}) => {
  const { close, dialog } = useOpened(onClosed)
  const [text, setText] = useState(value)
  const [found, setFound] = useState<string | undefined>()
  const problem = useTemplateProblem(text) ?? found
  const parts = useMemo(() => partsOf(fields, variables), [fields, variables])
  const empty = text.trim() === ''
  const apply = async (): Promise<void> => {
    // The check runs with a delay while the user types, so the final text is checked here.
    const mistake = await templateProblem(text)
    setFound(mistake)
    if (mistake !== undefined) return
    onApply(text)
    close()
  }
  return (
    <Dialog
      {...dialog}
      size="lg"
      title={`Template of ${row.target.display_name || row.target.name || 'the new field'}`}
      description="Liquid template. Choose a variable or filter to insert it at the cursor."
      footer={
        <>
          <Button onClick={close}>Cancel</Button>
          <Button variant="primary" disabled={problem !== undefined || empty} onClick={() => void apply()}>
            Apply
          </Button>
        </>
      }
    >
      <div className="space-y-4">
        <Field label="Template" error={problem} errorAsCode>
          {(control) => (
            <TemplateEditor
              control={control}
              value={text}
              onChange={(next) => {
                setText(next)
                setFound(undefined)
              }}
              variables={parts}
              filters={filterParts}
              className="h-32"
            />
          )}
        </Field>
        {!empty && problem === undefined && (
          <section aria-label="Result" className="space-y-1.5">
            <h3 className="text-sm font-medium">Result</h3>
            <Rendered destination={destination} mapping={mapping} row={row} template={text} />
          </section>
        )}
      </div>
    </Dialog>
  )
}
