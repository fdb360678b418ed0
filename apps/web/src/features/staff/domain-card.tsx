import { useMutation, useQueryClient } from '@tanstack/react-query'
import { type CustomDomain, type CustomDomainState, methods } from '@tributary/contract'
import { Check, Clock } from 'lucide-react'
import { useState } from 'react'
import { call } from '../../lib/api/client.ts'
import { customDomainIds } from '../../lib/format/names.ts'
import { refresh } from '../../lib/queries/query.ts'
import { Badge, type BadgeTone } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/code/copy-button.tsx'
import { CardList, CardRow } from '../../ui/lists/card-list.tsx'
import { DangerDialog } from '../../ui/overlays/danger-dialog.tsx'
import { notifyRefusal } from '../../ui/overlays/toast.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'

const states: Readonly<Record<CustomDomainState, { title: string; tone: BadgeTone }>> = {
  pending: { title: 'Pending', tone: 'neutral' },
  active: { title: 'Active', tone: 'success' },
  failing: { title: 'Failing', tone: 'danger' },
}

/** Returns a mutation that changes a domain and then reloads it. */
const useDomainChange = <Answer,>(change: (name: string) => Promise<Answer>) => {
  const cache = useQueryClient()
  return useMutation({ mutationFn: change, onSettled: () => refresh(cache, ['customDomains']) })
}

const RemoveDialog = ({ domain, onClosed }: { domain: CustomDomain; onClosed: () => void }) => {
  const remove = useDomainChange((name) => call(methods.customDomains.delete, { params: customDomainIds(name) }))
  return (
    <DangerDialog
      title="Remove domain"
      confirmLabel="Remove domain"
      mutation={remove}
      variables={domain.name}
      onClosed={onClosed}
    >
      It gets no new certificates, and belongs to no workspace. Remove its DNS records, too, or SDKs keep sending to it.
    </DangerDialog>
  )
}

/** A domain with its required DNS records, and whether they were found. */
export const DomainCard = ({ domain }: { domain: CustomDomain }) => {
  const [removing, setRemoving] = useState(false)
  const verify = useDomainChange((name) =>
    call(methods.customDomains.verify, { params: customDomainIds(name), body: {} }),
  )
  const check = (): void =>
    verify.mutate(domain.name, { onError: (error) => notifyRefusal('Could not verify the domain', error) })
  const { title, tone } = states[domain.state]
  return (
    <Card
      title="DNS records"
      description="Create these records where you manage the domain. They are checked automatically."
      action={
        <span className="flex flex-wrap justify-end gap-2">
          <Button size="sm" loading={verify.isPending} onClick={check}>
            Check now
          </Button>
          <Button size="sm" variant="none" onClick={() => setRemoving(true)}>
            Remove
          </Button>
        </span>
      }
    >
      <p className="mb-4 flex flex-wrap items-center gap-2 text-sm">
        <span className="font-medium break-all">{domain.domain_name}</span>
        <Badge tone={tone} dot>
          {title}
        </Badge>
        <span className="text-xs text-ink-3">
          {domain.check_time === null ? (
            'Not checked yet'
          ) : (
            <>
              Checked <RelativeTime time={domain.check_time} />
            </>
          )}
        </span>
        {domain.problem !== '' && <span className="w-full text-xs text-danger-ink">{domain.problem}.</span>}
      </p>
      <CardList label="DNS records">
        {domain.records.map((record) => (
          <CardRow key={record.type} label={record.type}>
            <Badge tone="outline">{record.type}</Badge>
            <span className="min-w-0 flex-1 basis-64 space-y-1 text-xs">
              {(['name', 'value'] as const).map((part) => (
                <span key={part} className="flex items-center gap-1">
                  <span className="w-12 shrink-0 text-ink-3">{part === 'name' ? 'Name' : 'Value'}</span>
                  <code className="min-w-0 font-mono break-all">{record[part]}</code>
                  <CopyButton text={record[part]} name={`Copy ${part} of ${record.type}`} notice="Copied" />
                </span>
              ))}
            </span>
            <span className="flex items-center gap-1 text-xs text-ink-2">
              {record.found ? <Check aria-hidden className="size-3.5" /> : <Clock aria-hidden className="size-3.5" />}
              {record.found ? 'Found' : 'Not found'}
            </span>
          </CardRow>
        ))}
      </CardList>
      {removing && <RemoveDialog domain={domain} onClosed={() => setRemoving(false)} />}
    </Card>
  )
}
