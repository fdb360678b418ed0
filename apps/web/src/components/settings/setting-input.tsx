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
import { IconButton } from '../../ui/icon-button.tsx'
import { TemplateEditor } from './template-editor.tsx'

type Pair = { id: number; name: string; value: string }

const pairsOf = (value: SettingValue): Pair[] =>
  isRecord(value) ? Object.entries(value).map(([name, text], id) => ({ id, name, value: text })) : []

type Props = {
  option: SettingOption
  control: FieldControl
  value: SettingValue
  onChange: (value: SettingValue) => void
  disabled?: boolean
  isSet?: boolean
  inputRef?: Ref<HTMLInputElement>
}

const HeadersInput = ({ control, value, onChange, disabled = false, isSet = false }: Omit<Props, 'option'>) => {
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
          <IconButton
            label={`Remove header ${pair.name}`}
            icon={Trash2}
            disabled={disabled}
            onClick={() => change(pairs.filter(({ id }) => id !== pair.id))}
          />
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

const textTemplate = { variables: eventVariables, filters: filterParts, className: 'h-36' } as const

const textOf = (value: SettingValue): string =>
  typeof value === 'string' || typeof value === 'number' ? String(value) : ''

/** A setting on one line: a number, a secret, a URL or another text. */
const LineInput = ({ option: { type }, control, value, onChange, disabled, isSet, inputRef }: Props) => {
  const props = {
    ...control,
    ...(inputRef === undefined ? {} : { ref: inputRef }),
    value: textOf(value),
    disabled,
  }
  if (type === 'secret')
    return (
      <PasswordInput
        {...props}
        autoComplete="new-password"
        placeholder={isSet === true ? '••••••••••••  (set; type to replace)' : ''}
        onChange={({ target }) => onChange(target.value)}
      />
    )
  if (type === 'number')
    return (
      <Input
        {...props}
        inputMode="numeric"
        onChange={({ target }) => onChange(/^-?\d+(\.\d+)?$/.test(target.value) ? Number(target.value) : target.value)}
      />
    )
  return (
    <Input
      {...props}
      type={type === 'url' ? 'url' : 'text'}
      placeholder={type === 'url' ? 'https://example.com' : ''}
      autoComplete="off"
      onChange={({ target }) => onChange(target.value)}
    />
  )
}

/** The control for a setting's type. A secret starts empty; `isSet` says whether it has a value. */
export const SettingInput = (props: Props) => {
  const { option, control, value, onChange, disabled = false } = props
  const text = textOf(value)
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
      return <HeadersInput {...props} />
    case 'template':
    case 'text-template':
      return (
        <TemplateEditor
          control={control}
          value={text}
          onChange={onChange}
          disabled={disabled}
          {...(option.type === 'template' ? {} : textTemplate)}
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
    default:
      return <LineInput {...props} />
  }
}
