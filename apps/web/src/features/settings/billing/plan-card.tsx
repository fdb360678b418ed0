import { useMutation, useQuery } from '@tanstack/react-query'
import type { Plan, PlanPreview, Subscription } from '@tributary/contract'
import { useState } from 'react'
import { AsOf } from '../../../components/billing/as-of.tsx'
import { agreedTo, previewChange, useChangeSubscription } from '../../../components/billing/change-plan.ts'
import { LazyPricingDialog } from '../../../components/billing/lazy-pricing-dialog.ts'
import { billingTexts, dayText, priceText } from '../../../components/billing/plan-texts.ts'
import { Proration } from '../../../components/billing/proration.tsx'
import { useBank } from '../../../components/billing/use-bank.tsx'
import { QueryView } from '../../../components/query-view.tsx'
import { plansQuery, subscriptionQuery } from '../../../lib/queries/billing-queries.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { Card } from '../../../ui/card.tsx'
import { ConfirmDialog } from '../../../ui/overlays/confirm-dialog.tsx'
import { notify, notifyRefusal } from '../../../ui/overlays/toast.tsx'
import { CardSkeleton } from '../../../ui/page/skeleton.tsx'

const titleOf = (plans: readonly Plan[], name: string): string =>
  plans.find((plan) => plan.name === name)?.title ?? name.replace(/^plans\//, '')

/** Describes what happens to the subscription after its period. Returns '' for a free plan. */
export const periodText = (
  { next, period_end_time, recurring_interval }: Subscription,
  plans: readonly Plan[],
): string => {
  if (period_end_time === null) return ''
  const day = dayText(period_end_time)
  if (next === null) return `Renews on ${day}.`
  const plan = titleOf(plans, next.plan)
  const billed = next.recurring_interval === 'MONTHLY' ? 'monthly' : 'annually'
  return next.recurring_interval === recurring_interval || next.plan === plans[0]?.name
    ? `Changes to ${plan} on ${day}.`
    : `Changes to ${plan}, billed ${billed}, on ${day}.`
}

/** Describes the problem of an overdue invoice, its solution, and the consequence if nothing is done. */
export const lateText = ({ past_due_time, limits_time }: Subscription, plans: readonly Plan[]): string =>
  [
    past_due_time === null ? 'An invoice is not paid.' : `An invoice has been unpaid since ${dayText(past_due_time)}.`,
    'Pay it below, or add another payment method and make it the default.',
    limits_time === null
      ? ''
      : `From ${dayText(limits_time)} on, the limits of ${titleOf(plans, plans[0]?.name ?? '')} apply.`,
  ]
    .filter((text) => text !== '')
    .join(' ')

type Asked = 'cancel' | 'interval'

const switchTitles = { ANNUALLY: 'Switch to annual billing', MONTHLY: 'Switch to monthly billing' } as const

/** The same plan at the other billing frequency. */
const otherInterval = ({ plan, recurring_interval }: Subscription) =>
  ({ plan, recurring_interval: recurring_interval === 'MONTHLY' ? 'ANNUALLY' : 'MONTHLY' }) as const

const priceOf = (
  { plan, recurring_interval }: ReturnType<typeof otherInterval>,
  plans: readonly Plan[],
): Plan | undefined => plans.find(({ name, interval }) => name === plan && interval === recurring_interval)

/** Asks for confirmation before a cancellation and before a change of the billing frequency. */
const ChangeDialogs = ({
  asked,
  subscription,
  plans,
  preview,
  change,
  onClose,
}: {
  asked: Asked | undefined
  subscription: Subscription
  plans: readonly Plan[]
  /** The charge for changing to the other billing frequency. */
  preview: PlanPreview | undefined
  change: ReturnType<typeof useChangeSubscription>
  onClose: () => void
}) => {
  const interval = otherInterval(subscription)
  const otherPrice = priceOf(interval, plans)
  const day = subscription.period_end_time === null ? '' : dayText(subscription.period_end_time)
  const done = (text: string) => ({
    onSuccess: () => {
      onClose()
      notify('success', text)
    },
  })
  return (
    <>
      <ConfirmDialog
        open={asked === 'cancel'}
        onOpenChange={() => onClose()}
        kind="danger"
        title="Cancel subscription"
        confirmLabel="Cancel subscription"
        cancelLabel="Keep subscription"
        loading={change.isPending}
        error={change.error?.message}
        onConfirm={() => change.mutate('cancel', done('Subscription canceled'))}
      >
        {`The plan stays until ${day}. Then the organization is on ${titleOf(plans, plans[0]?.name ?? '')}. Everything it has keeps working; its limits apply to what you create.`}
      </ConfirmDialog>
      <ConfirmDialog
        open={asked === 'interval'}
        onOpenChange={() => onClose()}
        title={switchTitles[interval.recurring_interval]}
        confirmLabel="Switch"
        loading={change.isPending}
        error={change.error?.message}
        onConfirm={() =>
          change.mutate(
            preview === undefined ? interval : agreedTo(interval, preview),
            done('Billing frequency changed'),
          )
        }
      >
        {preview !== undefined && preview.lines.length > 0 ? (
          <Proration preview={preview} />
        ) : (
          `${otherPrice === undefined ? '' : priceText(otherPrice)}, from ${day}.`
        )}
      </ConfirmDialog>
    </>
  )
}

const Period = ({ subscription, plans }: { subscription: Subscription; plans: readonly Plan[] }) => (
  <div className="space-y-2 text-sm text-ink-2">
    <p>{subscription.period_end_time === null ? 'Free of charge.' : periodText(subscription, plans)}</p>
    <AsOf time={subscription.as_of_time} />
    {subscription.status === 'past_due' && (
      <p className="flex flex-wrap items-center gap-2">
        <Badge tone="danger">Past due</Badge>
        {lateText(subscription, plans)}
      </p>
    )}
  </div>
)

const Details = ({
  subscription,
  plans,
  organization,
}: {
  subscription: Subscription
  plans: readonly Plan[]
  organization: string
}) => {
  const [choosing, setChoosing] = useState(false)
  const [asked, setAsked] = useState<Asked>()
  const bank = useBank(organization)
  const change = useChangeSubscription(organization, bank)
  const { plan, recurring_interval, next, period_end_time } = subscription
  const interval = otherInterval(subscription)
  const paid = period_end_time !== null
  const preview = useMutation({
    mutationFn: (): Promise<PlanPreview> => previewChange(organization, interval),
    onSuccess: () => setAsked('interval'),
    onError: (error) => notifyRefusal('Could not look up the price', error),
  })
  return (
    <Card
      title={`Current plan: ${titleOf(plans, plan)}`}
      description={paid ? priceText({ ...subscription, interval: recurring_interval }) : undefined}
      action={
        <Button size="sm" variant="primary" onClick={() => setChoosing(true)}>
          Change plan
        </Button>
      }
      {...(paid
        ? {
            footer: (
              <>
                {next !== null && (
                  <Button
                    size="sm"
                    loading={change.isPending}
                    onClick={() =>
                      change.mutate('resume', {
                        onSuccess: () => notify('success', 'The plan stays as it is'),
                        onError: (error) => notifyRefusal('Could not keep the plan', error),
                      })
                    }
                  >
                    {`Keep ${titleOf(plans, plan)}`}
                  </Button>
                )}
                {priceOf(interval, plans) !== undefined && next === null && (
                  <Button size="sm" loading={preview.isPending} onClick={() => preview.mutate()}>
                    {switchTitles[interval.recurring_interval]}
                  </Button>
                )}
                {next?.plan !== plans[0]?.name && (
                  <Button size="sm" variant="none" onClick={() => setAsked('cancel')}>
                    Cancel subscription
                  </Button>
                )}
              </>
            ),
          }
        : {})}
    >
      <Period subscription={subscription} plans={plans} />
      <LazyPricingDialog open={choosing} onClose={() => setChoosing(false)} organization={organization} />
      <ChangeDialogs
        asked={asked}
        subscription={subscription}
        plans={plans}
        preview={preview.data}
        change={change}
        onClose={() => setAsked(undefined)}
      />
      {bank.dialog}
    </Card>
  )
}

/**
 * The plan of an organization (a resource name), its future, and how to change it. The placeholder of a paid plan is
 * taller.
 */
export const PlanCard = ({ organization, paid }: { organization: string; paid: boolean }) => {
  const plans = useQuery(plansQuery())
  const subscription = useQuery(subscriptionQuery(organization))
  const skeleton = <CardSkeleton lines={paid ? 5 : 2} />
  return (
    <QueryView query={plans} skeleton={skeleton} errorTitle={billingTexts.plansFailed}>
      {(listed) => (
        <QueryView query={subscription} skeleton={skeleton} errorTitle={billingTexts.subscriptionFailed}>
          {(held) => <Details subscription={held} plans={listed} organization={organization} />}
        </QueryView>
      )}
    </QueryView>
  )
}
