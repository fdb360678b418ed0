import type { PlanPreview } from '@tributary/contract'
import { moneyText } from './plan-texts.ts'

/** The current charge for a change, one line per item, with the total. */
export const Proration = ({ preview }: { preview: PlanPreview }) => {
  const money = (amount: string): string => moneyText(amount, preview.currency) ?? amount
  return (
    <dl className="divide-y divide-line text-sm">
      {preview.lines.map(({ description, amount }, index) => (
        // oxlint-disable-next-line react/no-array-index-key -- two lines can say the same
        <div key={index} className="flex justify-between gap-4 py-1.5">
          <dt className="text-ink-2">{description}</dt>
          <dd className="tabular">{money(amount)}</dd>
        </div>
      ))}
      <div className="flex justify-between gap-4 py-1.5 font-semibold">
        <dt>Charged today</dt>
        <dd className="tabular">{money(preview.total)}</dd>
      </div>
    </dl>
  )
}
