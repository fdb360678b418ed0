import { conversionNames, standardConversions } from '@tributary/contract'
import { Field } from '../../../ui/forms/field.tsx'
import { Input, Select } from '../../../ui/forms/input.tsx'
import { Options } from '../../../ui/forms/options.tsx'
import { withConversion } from '../draft.ts'
import type { FieldsProps } from './fields-props.ts'

/** The conversion of the events, and its name on each platform. */
export const ConversionFields = ({ draft, problems, disabled, onChange }: FieldsProps) => {
  const { type, custom_name } = draft.conversion
  const names = type === 'custom' ? undefined : conversionNames[type]
  const own = custom_name.trim()
  const called: readonly (readonly [string, string])[] = [
    ['Meta', names?.meta ?? own],
    ['TikTok', names?.tiktok ?? own],
    ['Google Analytics', names?.google_analytics ?? own],
    ['Google Ads', 'The conversion action of the destination'],
  ]
  return (
    <div className="space-y-5">
      <Field label="Conversion" required hint="Platforms optimize ads for standard conversions best.">
        {(control) => (
          <Select
            {...control}
            className="max-w-sm"
            value={type}
            disabled={disabled}
            onChange={({ target }) => {
              const chosen = standardConversions.find((each) => each === target.value)
              if (chosen !== undefined) onChange(withConversion(draft, { type: chosen, custom_name: '' }))
            }}
          >
            <Options
              of={standardConversions}
              title={(each) => (each === 'custom' ? 'Custom' : conversionNames[each].title)}
            />
          </Select>
        )}
      </Field>
      {type === 'custom' && (
        <Field
          label="Name"
          required
          hint="What all platforms call it, such as QualifiedLead."
          error={problems['custom_name']}
        >
          {(control) => (
            <Input
              {...control}
              className="max-w-sm"
              value={custom_name}
              maxLength={40}
              autoComplete="off"
              spellCheck={false}
              disabled={disabled}
              onChange={({ target }) => onChange(withConversion(draft, { type, custom_name: target.value }))}
            />
          )}
        </Field>
      )}
      <section aria-label="Names at the platforms">
        <h3 className="text-sm font-medium">Names at the platforms</h3>
        <dl className="mt-1.5 divide-y divide-line border-y border-line">
          {called.map(([platform, name]) => (
            <div key={platform} className="grid grid-cols-[9rem_minmax(0,1fr)] gap-x-4 py-2 text-sm">
              <dt className="text-ink-3">{platform}</dt>
              <dd className="break-words">{name === '' ? <span className="text-ink-3">–</span> : name}</dd>
            </div>
          ))}
        </dl>
      </section>
    </div>
  )
}
