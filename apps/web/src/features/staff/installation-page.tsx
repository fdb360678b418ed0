import { useQuery } from '@tanstack/react-query'
import { type InstallationPart, installationGroups, methods } from '@tributary/contract'
import { useState } from 'react'
import { HeldWorkCard } from '../../components/held-work-card.tsx'
import { QueryView } from '../../components/query-view.tsx'
import { installationQuery } from '../../lib/queries/organization-queries.ts'
import { rowsQuery } from '../../lib/queries/query.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { CopyButton } from '../../ui/code/copy-button.tsx'
import { PageHeader } from '../../ui/page/page-header.tsx'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'

/** Reads the work of all workspaces that is set aside, for staff. */
const allHeldWorkQuery = () =>
  rowsQuery(methods.heldWork.listAll, {}, ({ held_work }) => held_work, { staleTime: 0, refetchInterval: 60_000 })

const states = {
  set: { tone: 'success', text: 'Set' },
  built_in: { tone: 'neutral', text: 'Built in' },
  missing: { tone: 'warning', text: 'Not set' },
} as const

const Part = ({ part }: { part: InstallationPart }) => {
  const { tone, text } = states[part.state]
  return (
    <li className="flex flex-col gap-x-4 gap-y-2 py-3 text-sm sm:flex-row">
      <div className="min-w-0 flex-1">
        <p className="flex flex-wrap items-center gap-2">
          <span className="font-medium">{part.title}</span>
          <Badge tone={tone}>{text}</Badge>
        </p>
        <p className="break-words text-ink-2">{part.detail}</p>
        <a
          href={`/docs/${part.docs}`}
          target="_blank"
          rel="noopener"
          aria-label={`Docs for ${part.title} (opens in a new tab)`}
          className="text-accent-ink hover:underline"
        >
          Docs
        </a>
      </div>
      <ul aria-label={`Settings of ${part.title}`} className="shrink-0 space-y-1 sm:w-80">
        {part.settings.map((name) => (
          <li key={name} className="flex items-center justify-between gap-1">
            <code className="min-w-0 font-mono text-xs break-all">{name}</code>
            <CopyButton size="xs" text={name} name={`Copy ${name}`} notice={`${name} copied`} />
          </li>
        ))}
      </ul>
    </li>
  )
}

const Parts = ({ parts }: { parts: readonly InstallationPart[] }) => {
  const [onlyMissing, setOnlyMissing] = useState(false)
  const missing = parts.filter(({ state }) => state === 'missing')
  const shown = onlyMissing ? missing : parts
  return (
    <div className="space-y-5">
      <div className="flex flex-wrap items-center justify-between gap-3">
        <p className="text-sm text-ink-2">
          {missing.length === 0 ? 'Everything is set.' : `${missing.length} of ${parts.length} are not set.`} Settings
          are environment variables. They take effect when Tributary starts again.
        </p>
        {missing.length > 0 && (
          <Button size="sm" onClick={() => setOnlyMissing(!onlyMissing)}>
            {onlyMissing ? 'Show all' : 'Show what is not set'}
          </Button>
        )}
      </div>
      {installationGroups
        .map((group) => ({ group, own: shown.filter((part) => part.group === group) }))
        .filter(({ own }) => own.length > 0)
        .map(({ group, own }) => (
          <Card key={group} title={group}>
            <ul className="-my-3 divide-y divide-line">
              {own.map((part) => (
                <Part key={part.key} part={part} />
              ))}
            </ul>
          </Card>
        ))}
    </div>
  )
}

/** The configuration of this installation for platform admins: what is set, what is not, and how to set it. */
export const InstallationPage = () => {
  const query = useQuery(installationQuery())
  const heldWork = useQuery(allHeldWorkQuery())
  return (
    <>
      <PageHeader
        title="Installation"
        description={`What this installation is configured for${query.data === undefined ? '.' : `, version ${query.data.version}.`}`}
      />
      <QueryView query={query} skeleton={<CardSkeleton lines={8} />} errorTitle="Failed to load the installation">
        {({ parts }) => (
          <div className="space-y-5">
            <HeldWorkCard rows={heldWork.data ?? []} mayRelease showsWorkspace />
            <Parts parts={parts} />
          </div>
        )}
      </QueryView>
    </>
  )
}
