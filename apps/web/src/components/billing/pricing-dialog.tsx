import { useQuery, useQueryClient } from '@tanstack/react-query'
import {
  type BillingFrequency,
  billingFrequencies,
  currentPlan,
  minorUnits,
  type Plan,
  type PlanPreview,
  planChoice,
} from '@tributary/contract'
import { Check, Info, Minus } from 'lucide-react'
import { useState } from 'react'
import { useConfig } from '../../lib/config.ts'
import { paymentMethodsQuery, plansQuery, subscriptionQuery } from '../../lib/queries/billing-queries.ts'
import { organizationQuery } from '../../lib/queries/organization-queries.ts'
import { Button } from '../../ui/button.tsx'
import { cn } from '../../ui/cn.ts'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { notify } from '../../ui/overlays/toast.tsx'
import { Tooltip } from '../../ui/overlays/tooltip.tsx'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'
import { QueryView } from '../query-view.tsx'
import { agreedTo, previewChange, useChangeSubscription } from './change-plan.ts'
import { PaymentMethodDialog } from './payment-method-dialog.tsx'
import {
  billingTexts,
  featureLines,
  frequencyText,
  frequencyTitles,
  plansAt,
  priceText,
  reasonOf,
  shortMoneyText,
} from './plan-texts.ts'
import { Proration } from './proration.tsx'
import { SandboxNote } from './sandbox-note.tsx'
import { useBank } from './use-bank.tsx'

const Frequency = ({ value, onChange }: { value: BillingFrequency; onChange: (next: BillingFrequency) => void }) => (
  <fieldset className="flex w-fit gap-1 rounded-lg bg-hover p-1">
    <legend className="sr-only">Billing frequency</legend>
    {billingFrequencies.map((each) => (
      <label
        key={each}
        className={cn(
          'cursor-pointer rounded-md px-3 py-1 text-sm has-focus-visible:outline-2 has-focus-visible:outline-accent',
          each === value ? 'bg-surface font-medium text-ink shadow-card' : 'text-ink-2',
        )}
      >
        <input
          type="radio"
          name="frequency"
          className="sr-only"
          checked={each === value}
          onChange={() => onChange(each)}
        />
        {frequencyTitles[each]}
      </label>
    ))}
  </fieldset>
)

const PlanCard = ({
  plan,
  current,
  busy,
  onChoose,
}: {
  plan: Plan
  current: Plan | undefined
  busy: 'this' | 'other' | undefined
  onChoose: () => void
}) => {
  const { label } = planChoice(plan, current)
  const own = plan.name === current?.name
  return (
    <section
      aria-label={plan.title}
      className={cn('flex flex-col gap-3 rounded-lg border p-4', own ? 'border-accent' : 'border-line')}
    >
      <div>
        <h3 className="text-base font-semibold">{plan.title}</h3>
        <p className="text-sm text-ink-2">{plan.description}</p>
      </div>
      <p className="text-lg font-semibold tabular">{priceText(plan)}</p>
      <Button
        variant={label === 'Buy plan' ? 'primary' : 'secondary'}
        loading={busy === 'this'}
        disabled={busy === 'other'}
        onClick={onChoose}
      >
        {label}
      </Button>
      <ul className="space-y-1.5 text-sm">
        {featureLines(plan.features).map(({ key, text, has }) => (
          <li key={key} className={cn('flex items-center gap-2', has ? 'text-ink' : 'text-ink-3')}>
            {has ? (
              <Check aria-hidden className="size-4 shrink-0 text-success-ink" />
            ) : (
              <Minus aria-hidden className="size-4 shrink-0" />
            )}
            <span>{text}</span>
            {!has && <span className="sr-only">not included</span>}
            {key === 'profiles' && plan.extra_profiles_amount !== null && (
              <Tooltip text={billingTexts.extraProfiles(shortMoneyText(plan.extra_profiles_amount, plan.currency))}>
                {/* oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex, jsx-a11y/prefer-tag-over-role -- a card has exactly one button (BIL-06), and the tooltip opens on focus */}
                <span role="img" aria-label="About additional profiles" tabIndex={0} className="rounded-sm text-ink-3">
                  <Info aria-hidden className="size-3.5" />
                </span>
              </Tooltip>
            )}
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Describes a change of the billing frequency of the current plan. Shows nothing if the frequency stays the same. */
const FrequencyNote = ({
  organization,
  plans,
  frequency,
}: {
  organization: string
  plans: readonly Plan[]
  frequency: BillingFrequency
}) => {
  const subscription = useQuery(subscriptionQuery(organization)).data
  const text =
    subscription === undefined || subscription.period_end_time === null
      ? ''
      : frequencyText(
          plans.find(({ name }) => name === subscription.plan)?.title,
          subscription.recurring_interval,
          frequency,
        )
  return text === '' ? null : <p className="text-sm text-ink-2">{text}</p>
}

/** The charge for an upgrade, shown instead of the plans until the user accepts it. */
const Agreement = ({
  plan,
  preview,
  busy,
  onAgree,
  onBack,
}: {
  plan: Plan
  preview: PlanPreview
  busy: boolean
  onAgree: () => void
  onBack: () => void
}) => (
  <section aria-label={`Upgrade to ${plan.title}`} className="space-y-4">
    <SandboxNote />
    <div>
      <h3 className="font-semibold">{`Upgrade to ${plan.title}`}</h3>
      <p className="text-sm text-ink-2">{`${priceText(plan)}, from today.`}</p>
    </div>
    <Proration preview={preview} />
    <div className="flex flex-wrap justify-end gap-2">
      <Button onClick={onBack} disabled={busy}>
        Back
      </Button>
      <Button variant="primary" loading={busy} onClick={onAgree}>
        Upgrade
      </Button>
    </div>
  </section>
)

/**
 * Changes the plan to the chosen one. Asks for a payment method if none exists, and shows the charge before an upgrade.
 */
const usePlanChoice = ({
  organization,
  frequency,
  current,
  onClose,
}: {
  organization: string
  frequency: BillingFrequency
  current: Plan | undefined
  onClose: () => void
}) => {
  const cache = useQueryClient()
  const config = useConfig()
  const sales = config?.links.contact_sales ?? ''
  const isSold = config?.payment !== 'none'
  const [chosen, setChosen] = useState<string>()
  const [adding, setAdding] = useState(false)
  const [shownPrice, setShownPrice] = useState<{ plan: Plan; preview: PlanPreview }>()
  const bank = useBank(organization)
  const change = useChangeSubscription(organization, bank)

  const buy = async (plan: Plan, preview?: PlanPreview): Promise<void> => {
    const { payment_methods } = await cache.fetchQuery({ ...paymentMethodsQuery(organization), staleTime: 0 })
    if (payment_methods.length === 0) {
      notify('error', billingTexts.noPaymentMethod)
      setAdding(true)
      return
    }
    const asked = { plan: plan.name, recurring_interval: frequency }
    // The plan cards do not show the charge for upgrading a paid plan, so the user must see and accept it first.
    const prorated = current !== undefined && minorUnits(current.amount, current.currency) !== 0
    if (preview === undefined && prorated && planChoice(plan, current).label === 'Buy plan') {
      const found = await previewChange(organization, asked)
      if (found.lines.length > 0) {
        setShownPrice({ plan, preview: found })
        return
      }
    }
    await change.mutateAsync(preview === undefined ? asked : agreedTo(asked, preview))
    setShownPrice(undefined)
    notify('success', billingTexts.changed(plan.title, minorUnits(plan.amount, plan.currency) === 0))
    onClose()
  }
  const choose = async (plan: Plan, preview?: PlanPreview): Promise<void> => {
    const { does } = planChoice(plan, current)
    if (does === 'contact-sales') {
      if (sales === '') notify('info', 'This installation has no address of sales')
      else window.open(sales, '_blank', 'noopener,noreferrer')
    }
    if (does !== 'change') return
    if (!isSold) {
      notify('info', billingTexts.notSold)
      return
    }
    setChosen(plan.name)
    try {
      await buy(plan, preview)
    } catch (error) {
      setShownPrice(undefined)
      notify('error', billingTexts.notChanged(plan.title), reasonOf(error))
    } finally {
      setChosen(undefined)
    }
  }
  return { isSold, chosen, choose, adding, setAdding, shownPrice, setShownPrice, bank }
}

const Plans = ({
  plans,
  organization,
  planName,
  onClose,
}: {
  plans: readonly Plan[]
  organization: string
  planName: string
  onClose: () => void
}) => {
  const [frequency, setFrequency] = useState<BillingFrequency>('MONTHLY')
  const shown = plansAt(plans, frequency)
  const current = currentPlan(shown, planName)
  const { isSold, chosen, choose, adding, setAdding, shownPrice, setShownPrice, bank } = usePlanChoice({
    organization,
    frequency,
    current,
    onClose,
  })
  if (shownPrice !== undefined)
    return (
      <>
        <Agreement
          {...shownPrice}
          busy={chosen !== undefined}
          onAgree={() => void choose(shownPrice.plan, shownPrice.preview)}
          onBack={() => setShownPrice(undefined)}
        />
        {bank.dialog}
      </>
    )
  return (
    <div className="space-y-4">
      <SandboxNote />
      {!isSold && <p className="text-sm text-ink-2">{billingTexts.notSold}</p>}
      <Frequency value={frequency} onChange={setFrequency} />
      {isSold && <FrequencyNote organization={organization} plans={plans} frequency={frequency} />}
      <div className="grid gap-3 sm:grid-cols-2">
        {shown.map((plan) => (
          <PlanCard
            key={plan.name}
            plan={plan}
            current={current}
            busy={chosen === undefined ? undefined : chosen === plan.name ? 'this' : 'other'}
            onChoose={() => void choose(plan)}
          />
        ))}
      </div>
      <p className="text-xs text-ink-3">
        Upgrades take effect immediately and are prorated. Downgrades take effect at the end of the billing period.
      </p>
      <PaymentMethodDialog open={adding} onClose={() => setAdding(false)} organization={organization} />
      {bank.dialog}
    </div>
  )
}

const Content = ({ organization, onClose }: { organization: string; onClose: () => void }) => {
  const plans = useQuery(plansQuery())
  const own = useQuery(organizationQuery(organization))
  const skeleton = <CardSkeleton lines={6} />
  return (
    <QueryView query={plans} skeleton={skeleton} errorTitle={billingTexts.plansFailed}>
      {(listed) => (
        <QueryView query={own} skeleton={skeleton} errorTitle={billingTexts.subscriptionFailed}>
          {({ subscription }) => (
            <Plans
              plans={listed}
              organization={organization}
              planName={subscription.extra.plan_name}
              onClose={onClose}
            />
          )}
        </QueryView>
      )}
    </QueryView>
  )
}

/** A dialog for choosing another plan for an organization (a resource name). */
export const PricingDialog = ({
  open,
  onClose,
  organization,
}: {
  open: boolean
  onClose: () => void
  organization: string
}) => (
  <Dialog open={open} onClose={onClose} size="lg" title={billingTexts.pricingTitle}>
    {open && <Content organization={organization} onClose={onClose} />}
  </Dialog>
)
