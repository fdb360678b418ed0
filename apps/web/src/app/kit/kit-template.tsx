import type { EventConditions, Setting, SettingValue } from '@tributary/contract'
import { useState } from 'react'
import { ConditionBuilder } from '../../components/condition-builder.tsx'
import { SettingsCard } from '../../components/settings/settings-card.tsx'
import { TemplateEditor } from '../../components/settings/template-editor.tsx'
import { conditionProblems } from '../../lib/events/condition-words.ts'
import { useTemplateProblem } from '../../lib/settings/template-check.ts'
import { CodeEditor } from '../../ui/code/code-editor.tsx'
import { Field } from '../../ui/forms/field.tsx'

const setting = (part: Partial<Setting>): Setting => ({
  name: 'name',
  display_name: 'Name',
  help_text: '',
  type: 'sql',
  required: true,
  default: null,
  editable: true,
  is_secret: false,
  sent_to: [],
  choices: [],
  min: null,
  max: null,
  show_when: null,
  value: null,
  is_set: true,
  ...part,
})

const written = [
  setting({
    name: 'statement',
    display_name: 'Statement',
    help_text: 'Runs for each event.',
    value: 'insert into events (id, at)\nvalues ($1, now())',
  }),
  setting({ name: 'fixed', display_name: 'Fixed query', editable: false, value: 'select 1' }),
  setting({ name: 'first', display_name: 'First query', editable: false, is_set: false }),
  setting({
    name: 'message',
    display_name: 'Message',
    type: 'text-template',
    value: '{{ event | upcase }} by {{ userId }}',
  }),
]

/** Settings whose values are code. A change is stored only in this page. */
const Settings = () => {
  const [values, setValues] = useState<Record<string, SettingValue>>({})
  return (
    <SettingsCard
      description="Queries and templates."
      mayEdit
      settings={written.map((each) => ({ ...each, value: values[each.name] ?? each.value }))}
      onSave={({ name, value }) => Promise.resolve(setValues((before) => ({ ...before, [name]: value })))}
    />
  )
}

const Conditions = () => {
  const [filter, setFilter] = useState<EventConditions>({
    match: 'all',
    conditions: [
      { id: 'aaaa', field: 'event', operator: 'equals', value: 'Order Completed' },
      { id: 'bbbb', field: 'properties.total', operator: 'greater_than', value: '' },
      { id: 'cccc', field: 'context.campaign.name', operator: 'exists', value: '' },
    ],
  })
  return (
    <ConditionBuilder
      label="Filter"
      value={filter}
      onChange={setFilter}
      problems={conditionProblems(filter.conditions)}
    />
  )
}

/** Editors of templates, queries, JSON and conditions: editable, with an error, and read-only. */
export const KitTemplate = () => {
  const [template, setTemplate] = useState('{\n  "event": "Ticket {{ body.state | upcase }}"\n}')
  const [json, setJson] = useState('{\n  "a": [1, true, "text"]\n}')
  const mistake = useTemplateProblem(template)
  return (
    <div className="grid w-full grid-cols-[minmax(0,1fr)] gap-6 md:grid-cols-[repeat(2,minmax(0,1fr))]">
      <Field label="Template" hint="Liquid that renders to JSON" error={mistake} errorAsCode>
        {(control) => <TemplateEditor control={control} value={template} onChange={setTemplate} />}
      </Field>
      <Field
        label="Wrong template"
        error={'Error at >> 1| {{ body | shout }}\n      ^\nundefined filter: shout'}
        errorAsCode
      >
        {(control) => <TemplateEditor control={control} value="{{ body | shout }}" onChange={() => {}} disabled />}
      </Field>
      <div className="md:col-span-2">
        <Settings />
      </div>
      <CodeEditor language="json" label="JSON" value={json} onChange={setJson} mistakeLine={2} className="h-40" />
      <div className="md:col-span-2">
        <Conditions />
      </div>
    </div>
  )
}
