import type { SettingOption, SettingValue } from '@tributary/contract'
import { isRecord } from '@tributary/kernel/record'
import { Plus, Trash2 } from 'lucide-react'
import { type Ref, useState } from 'react'
import { eventVariables, filterParts } from '../../lib/settings/template-parts.ts'
import { Button } from '../../ui/button.tsx'
import { CodeEditor } from '../../ui/code/code-editor.tsx'
import type { FieldControl } from '../../ui/forms/field.tsx'
import { Input, PasswordInput, Select } from '../../ui/forms/input.tsx'
import { Switch } from '../../ui/forms/switch.tsx'
import { TemplateEditor } from './template-editor.tsx'

type Pair = { id: number; name: string; value: string }

const pairsOf = (value: SettingValue): Pair[] =>
  isRecord(value) ? Object.entries(value).map(([name, text], id) => ({ id, name, value: text })) : []

const HeadersInput = ({
  control,
  value,
  onChange,
  disabled,
  isSet,
}: {
  control: FieldControl
  value: SettingValue
  onChange: (value: SettingValue) => void
  disabled: boolean
  isSet: boolean
}) => {
  const [pairs, setPairs] = useState<Pair[]>(() => pairsOf(value))
  const change = (next: Pair[]): void => {
    setPairs(next)
    onChange(
      Object.fromEntries(next.filter(({ name }) => name.trim() !== '').map((pair) => [pair.name.trim(), pair.value])),
    )
  }
  const edit = (id: number, part: Partial<Pair>): void =>
    change(pairs.map((pair) => (pair.id === id ? { ...pair, ...part } : pair)))
  return (
    <fieldset className="min-w-0 space-y-2" id={control.id} aria-describedby={control['aria-describedby']}>
      {isSet && pairs.length === 0 && (
        <p className="text-sm text-ink-2">Headers are set and hidden. New headers replace all of them.</p>
      )}
      {pairs.map((pair) => (
        <div key={pair.id} className="flex gap-2">
          <Input
            aria-label="Header name"
            placeholder="X-Api-Version"
            value={pair.name}
            disabled={disabled}
            onChange={(event) => edit(pair.id, { name: event.target.value })}
          />
          <Input
            aria-label="Header value"
            placeholder="Value"
            value={pair.value}
            disabled={disabled}
            onChange={(event) => edit(pair.id, { value: event.target.value })}
          />
          <Button
            variant="none"
            square
            aria-label={`Remove header ${pair.name}`}
            disabled={disabled}
            onClick={() => change(pairs.filter(({ id }) => id !== pair.id))}
          >
            <Trash2 aria-hidden />
          </Button>
        </div>
      ))}
      <Button
        size="sm"
        disabled={disabled}
        onClick={() => setPairs([...pairs, { id: (pairs.at(-1)?.id ?? -1) + 1, name: '', value: '' }])}
      >
        <Plus aria-hidden />
        Add header
      </Button>
    </fieldset>
  )
}

/** The control for a setting's type. A secret starts empty; `isSet` says whether it has a value. */
export const SettingInput = ({
  option,
  control,
  value,
  onChange,
  disabled = false,
  isSet = false,
  inputRef,
}: {
  option: SettingOption
  control: FieldControl
  value: SettingValue
  onChange: (value: SettingValue) => void
  disabled?: boolean
  isSet?: boolean
  inputRef?: Ref<HTMLInputElement>
}) => {
  const ref = inputRef === undefined ? {} : { ref: inputRef }
  const text = typeof value === 'string' || typeof value === 'number' ? String(value) : ''
  switch (option.type) {
    case 'boolean':
      return (
        <Switch
          id={control.id}
          label={option.display_name}
          checked={value === true}
          disabled={disabled}
          onChange={onChange}
        />
      )
    case 'select':
      return (
        <Select {...control} value={text} disabled={disabled} onChange={(event) => onChange(event.target.value)}>
          {!option.required && option.default === null && <option value="">None</option>}
          {option.choices.map((choice) => (
            <option key={choice.value} value={choice.value}>
              {choice.title}
            </option>
          ))}
        </Select>
      )
    case 'headers':
      return <HeadersInput control={control} value={value} onChange={onChange} disabled={disabled} isSet={isSet} />
    case 'number':
      return (
        <Input
          {...control}
          {...ref}
          inputMode="numeric"
          value={text}
          disabled={disabled}
          onChange={(event) =>
            onChange(/^-?\d+(\.\d+)?$/.test(event.target.value) ? Number(event.target.value) : event.target.value)
          }
        />
      )
    case 'template':
      return <TemplateEditor control={control} value={text} onChange={onChange} disabled={disabled} />
    case 'text-template':
      return (
        <TemplateEditor
          control={control}
          value={text}
          onChange={onChange}
          disabled={disabled}
          variables={eventVariables}
          filters={filterParts}
          className="h-36"
        />
      )
    case 'sql':
      return (
        <CodeEditor
          language="sql"
          id={control.id}
          value={text}
          onChange={onChange}
          readOnly={disabled}
          invalid={control['aria-invalid'] === true}
          describedBy={control['aria-describedby']}
          className="h-48"
        />
      )
    case 'secret':
      return (
        <PasswordInput
          {...control}
          {...ref}
          autoComplete="new-password"
          placeholder={isSet ? '••••••••••••  (set; type to replace)' : ''}
          value={text}
          disabled={disabled}
          onChange={(event) => onChange(event.target.value)}
        />
      )
    default:
      return (
        <Input
          {...control}
          {...ref}
          type={option.type === 'url' ? 'url' : 'text'}
          placeholder={option.type === 'url' ? 'https://example.com' : ''}
          autoComplete="off"
          value={text}
          disabled={disabled}
          onChange={(event) => onChange(event.target.value)}
        />
      )
  }
}
