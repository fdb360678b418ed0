import { Field } from '../../../ui/forms/field.tsx'
import { Input } from '../../../ui/forms/input.tsx'
import type { FieldsProps } from './fields-props.ts'
import { PathField } from './path-field.tsx'
import { RadioCards } from './radio-cards.tsx'
import { useEventFields } from './use-event-fields.ts'

const CurrencyField = ({
  draft,
  problems,
  disabled,
  onChange,
  ...field
}: FieldsProps & { label: string; hint: string; required: boolean }) => (
  <Field {...field} error={problems['currency']}>
    {(control) => (
      <Input
        {...control}
        className="w-24 uppercase"
        value={draft.value.currency}
        maxLength={3}
        autoComplete="off"
        spellCheck={false}
        disabled={disabled}
        onChange={({ target }) => onChange({ ...draft, value: { ...draft.value, currency: target.value } })}
      />
    )}
  </Field>
)

/** The value of a conversion: none, a fixed value, or a value from the event. */
export const ValueFields = (props: FieldsProps) => {
  const { draft, problems, disabled, onChange } = props
  const fields = useEventFields(draft)
  const { value } = draft
  const set = (part: Partial<typeof value>): void => onChange({ ...draft, value: { ...value, ...part } })
  const ofEvent = (
    <>
      <div className="grid gap-4 sm:grid-cols-2">
        <PathField
          label="Value"
          name="value.amount_path"
          required
          value={value.amountPath}
          placeholder="properties.total"
          fields={fields}
          error={problems['amountPath']}
          disabled={disabled}
          onChange={(amountPath) => set({ amountPath })}
        />
        <PathField
          label="Currency"
          name="value.currency_path"
          value={value.currencyPath}
          placeholder="properties.currency"
          fields={fields}
          error={problems['currencyPath']}
          disabled={disabled}
          onChange={(currencyPath) => set({ currencyPath })}
        />
      </div>
      <CurrencyField
        {...props}
        label="Currency of other events"
        hint="A code such as USD, for events without one."
        required={value.currencyPath.trim() === ''}
      />
    </>
  )
  return (
    <RadioCards
      legend="Value of a conversion"
      value={value.type}
      disabled={disabled}
      onChange={(type) => set({ type })}
      options={[
        {
          value: 'event',
          title: 'From the event',
          text: 'The value and currency that the event has. A value that is missing or negative is not sent.',
          children: ofEvent,
        },
        {
          value: 'fixed',
          title: 'A fixed value',
          text: 'Each conversion is worth the same, such as a lead.',
          children: (
            <div className="flex flex-wrap gap-4">
              <Field label="Value" required error={problems['amount']}>
                {(control) => (
                  <Input
                    {...control}
                    className="w-40 text-right tabular"
                    inputMode="decimal"
                    value={value.amount}
                    maxLength={18}
                    autoComplete="off"
                    disabled={disabled}
                    onChange={({ target }) => set({ amount: target.value })}
                  />
                )}
              </Field>
              <CurrencyField {...props} label="Currency" hint="A code such as USD." required />
            </div>
          ),
        },
        { value: 'none', title: 'None', text: 'Conversions are counted and have no value.' },
      ]}
    />
  )
}
