import type { AuditRecord } from '@tributary/contract'
import { type ReactNode, useState } from 'react'
import { Dialog } from '../../../ui/overlays/dialog.tsx'
import { RelativeTime } from '../../../ui/relative-time.tsx'
import { actionText, actorText, detailLines, valueText } from './audit-words.ts'

const Line = ({ name, children }: { name: string; children: ReactNode }) => (
  <div className="grid gap-x-4 gap-y-0.5 py-2 sm:grid-cols-[9rem_minmax(0,1fr)]">
    <dt className="text-ink-3">{name}</dt>
    <dd className="min-w-0 break-words">{children}</dd>
  </div>
)

const Value = ({ value }: { value: unknown }) => (
  <pre className="max-h-48 overflow-auto rounded-md bg-code px-2 py-1.5 font-mono text-xs break-words whitespace-pre-wrap">
    {valueText(value)}
  </pre>
)

/** One record with all its details: actor, address, and the values before and after. */
export const RecordDialog = ({ record, onClosed }: { record: AuditRecord; onClosed: () => void }) => {
  const [open, setOpen] = useState(true)
  return (
    <Dialog open={open} onClose={() => setOpen(false)} onClosed={onClosed} size="lg" title={actionText(record.action)}>
      <dl className="divide-y divide-line text-sm">
        <Line name="Time">
          <RelativeTime time={record.time} />
        </Line>
        <Line name="Who">
          {actorText(record)}
          {record.actor.email !== '' && <span className="block text-xs text-ink-3">{record.actor.email}</span>}
          {record.actor.kind === 'key' && <span className="block text-xs text-ink-3">API key</span>}
        </Line>
        {record.ip !== '' && (
          <Line name="From">
            {record.ip}
            <span className="block text-xs text-ink-3">{record.user_agent}</span>
          </Line>
        )}
        <Line name="Object">
          <code className="font-mono text-xs break-all">{record.resource}</code>
        </Line>
        {record.workspace !== null && <Line name="Workspace">{record.workspace.title}</Line>}
        {record.changes.map(({ field, before, after }) => (
          <Line key={field} name={field}>
            <span className="grid gap-2 sm:grid-cols-2">
              <span className="min-w-0 space-y-1">
                <span className="block text-xs text-ink-3">Before</span>
                <Value value={before} />
              </span>
              <span className="min-w-0 space-y-1">
                <span className="block text-xs text-ink-3">After</span>
                <Value value={after} />
              </span>
            </span>
          </Line>
        ))}
        {detailLines(record).map(([name, value]) => (
          <Line key={name} name={name}>
            {value}
          </Line>
        ))}
      </dl>
    </Dialog>
  )
}
