import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { methods, type Onboarding, resourceNames } from '@tributary/contract'
import { useState } from 'react'
import { dayText, moneyText } from '../../components/billing/plan-texts.ts'
import { QueryView } from '../../components/query-view.tsx'
import { call } from '../../lib/api/client.ts'
import { onboardingsQuery } from '../../lib/queries/billing-queries.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConfirmDialog } from '../../ui/overlays/confirm-dialog.tsx'
import { notify } from '../../ui/overlays/toast.tsx'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'

const states = {
  open: { tone: 'accent', text: 'Open' },
  completed: { tone: 'success', text: 'Completed' },
  revoked: { tone: 'neutral', text: 'Revoked' },
  expired: { tone: 'neutral', text: 'Expired' },
} as const

/** Describes the terms of an onboarding link, and its expiry. */
export const termsText = ({ setup_amount, yearly_amount, expire_time, state }: Onboarding): string =>
  [
    Number(setup_amount) > 0 ? `${moneyText(setup_amount, 'USD')} set-up` : '',
    Number(yearly_amount) > 0 ? `${moneyText(yearly_amount, 'USD')} a year` : '',
    state === 'open' ? `Expires on ${dayText(expire_time)}` : '',
  ]
    .filter((text) => text !== '')
    .join(' · ')

const Row = ({ onboarding }: { onboarding: Onboarding }) => {
  const cache = useQueryClient()
  const [asking, setAsking] = useState(false)
  const { name, email, organization, state, invoice_url, setup_amount } = onboarding
  const revoke = useMutation({
    mutationFn: () => {
      const params = resourceNames.onboarding.parse(name)
      if (params === undefined) throw new Error(`${name} is no onboarding`)
      return call(methods.onboardings.revoke, { params, body: {} })
    },
    onSuccess: async () => {
      setAsking(false)
      notify('success', 'Onboarding link revoked')
      await cache.invalidateQueries({ queryKey: onboardingsQuery().queryKey })
    },
  })
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-3 text-sm">
      <div className="min-w-0 flex-1 basis-48">
        <p className="font-medium break-words">{organization}</p>
        <p className="break-words text-ink-2">{email}</p>
        <p className="text-ink-2">{termsText(onboarding)}</p>
      </div>
      <div className="ml-auto flex items-center gap-2">
        {invoice_url !== '' && (
          <a
            href={invoice_url}
            target="_blank"
            rel="noopener noreferrer"
            className="text-accent-ink underline-offset-3 hover:underline"
          >
            Invoice
            <span className="sr-only">{` of ${organization} (opens in a new tab)`}</span>
          </a>
        )}
        <Badge tone={states[state].tone}>{states[state].text}</Badge>
        {state === 'open' && (
          <Button
            size="sm"
            variant="none"
            aria-label={`Revoke the link of ${organization}`}
            onClick={() => setAsking(true)}
          >
            Revoke
          </Button>
        )}
      </div>
      <ConfirmDialog
        open={asking}
        onOpenChange={setAsking}
        kind="danger"
        title="Revoke onboarding link"
        confirmLabel="Revoke"
        loading={revoke.isPending}
        error={revoke.error?.message}
        onConfirm={() => revoke.mutate()}
      >
        {`The link of ${organization} no longer works.${Number(setup_amount) > 0 ? ' Its set-up invoice is voided unless it is paid.' : ''}`}
      </ConfirmDialog>
    </li>
  )
}

/**
 * The onboarding links that were created, with their outcome and a button that revokes them. Shows nothing before the
 * first one.
 */
export const OnboardingsCard = () => {
  const query = useQuery(onboardingsQuery())
  return (
    <QueryView query={query} skeleton={<CardSkeleton lines={2} />} errorTitle="Failed to load the onboarding links">
      {(onboardings) =>
        onboardings.length > 0 && (
          <Card title="Onboarding links">
            <ul className="-my-3 divide-y divide-line">
              {onboardings.map((each) => (
                <Row key={each.name} onboarding={each} />
              ))}
            </ul>
          </Card>
        )
      }
    </QueryView>
  )
}
