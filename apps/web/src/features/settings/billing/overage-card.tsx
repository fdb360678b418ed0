import { useQuery, useQueryClient } from '@tanstack/react-query'
import { methods, minorUnits, type Overage, profileBlock, type UsageReport } from '@tributary/contract'
import { z } from 'zod'
import { useApiForm } from '../../../components/api-form.ts'
import { dayText, moneyText, shortMoneyText } from '../../../components/billing/plan-texts.ts'
import { call } from '../../../lib/api/client.ts'
import { organizationIds } from '../../../lib/format/names.ts'
import { count } from '../../../lib/format/text.ts'
import { usageReportQuery } from '../../../lib/queries/billing-queries.ts'
import { Card } from '../../../ui/card.tsx'
import { MetricValue } from '../../../ui/charts/metric.tsx'
import { Form, SubmitButton, TextField } from '../../../ui/forms/form.tsx'
import { notify } from '../../../ui/overlays/toast.tsx'

const capForm = (currency: string) =>
  z.object({
    amount: z
      .string()
      .trim()
      .refine((text) => text === '' || minorUnits(text, currency) !== undefined, 'Enter an amount, such as 300'),
  })

/** The number of profiles that a cap allows above the included ones. */
export const capText = (cap: string, { price, currency }: Pick<Overage, 'price' | 'currency'>): string => {
  const each = minorUnits(price, currency) ?? 0
  const blocks = each === 0 ? 0 : Math.floor((minorUnits(cap, currency) ?? 0) / each)
  return `Up to ${count(blocks * profileBlock)} additional profiles.`
}

const CapForm = ({
  organization,
  overage,
  graceHours,
}: {
  organization: string
  overage: Overage
  graceHours: number
}) => {
  const cache = useQueryClient()
  const { cap, currency } = overage
  const form = useApiForm<{ amount: string }>(capForm(currency), { amount: cap ?? '' })
  const submit = async ({ amount }: { amount: string }): Promise<void> => {
    await call(methods.overageCaps.update, {
      params: organizationIds(organization),
      body: { amount: amount === '' ? null : amount },
    })
    await cache.invalidateQueries({ queryKey: usageReportQuery(organization).queryKey })
    notify('success', amount === '' ? 'Cap removed' : 'Cap saved')
  }
  return (
    <Form form={form} onSubmit={submit} label="Cap on additional profiles" className="space-y-4">
      <TextField
        name="amount"
        label={`Cap for each period (${currency})`}
        inputMode="decimal"
        autoComplete="off"
        placeholder="No cap"
        hint={`Leave empty for no cap. ${cap === null ? '' : `${capText(cap, overage)} `}Beyond it, nothing more is billed, and events are held after ${count(graceHours)} hours. No event is lost: they are released when you raise the cap, or when the next period begins. What has been used already is billed.`}
      />
      <div className="flex justify-end">
        <SubmitButton>Save cap</SubmitButton>
      </div>
    </Form>
  )
}

const Content = ({
  organization,
  overage,
  report,
}: {
  organization: string
  overage: Overage
  report: UsageReport
}) => {
  const { included, price, currency, blocks, amount, cap } = overage
  const more = Math.max(0, report.profiles.used - included)
  return (
    <Card
      title="Additional profiles"
      description={`The plan includes ${count(included)} profiles each month. Each started ${count(profileBlock)} more cost ${shortMoneyText(price, currency)}.`}
    >
      <dl className="mb-5 divide-y divide-line text-sm">
        <div className="flex justify-between gap-4 py-2">
          <dt className="text-ink-2">Beyond those included so far</dt>
          <dd className="font-medium tabular">
            <MetricValue value={more} />
          </dd>
        </div>
        <div className="flex justify-between gap-4 py-2">
          <dt className="text-ink-2">{`To be billed so far: ${count(blocks)} × ${count(profileBlock)}`}</dt>
          <dd className="font-medium tabular">{moneyText(amount, currency) ?? amount}</dd>
        </div>
      </dl>
      <p className="mb-5 text-sm text-ink-2">
        {`Invoiced once, shortly after the period ends on ${dayText(report.period_end_time)}.`}
      </p>
      <CapForm key={cap} organization={organization} overage={overage} graceHours={report.grace_hours} />
    </Card>
  )
}

/**
 * Shows the current and maximum cost of additional profiles of an organization (a resource name) in this period. Shows
 * nothing if additional profiles are not billed. Shows nothing if the usage cannot be loaded, because the usage card
 * reports that.
 */
export const OverageCard = ({ organization }: { organization: string }) => {
  const { data } = useQuery(usageReportQuery(organization))
  if (data === undefined || data.overage === null) return null
  return <Content organization={organization} overage={data.overage} report={data} />
}
