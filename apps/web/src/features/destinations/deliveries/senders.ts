import { useQuery } from '@tanstack/react-query'
import { destinationAudiencesQuery } from '../../../lib/queries/audience-queries.ts'
import { signalsQuery } from '../../../lib/queries/signal-queries.ts'
import { allSourcesQuery } from '../../../lib/queries/workspace-queries.ts'
import { useWorkspace } from '../../../lib/workspace.ts'

/** The URL parameter for the kind of a sender, from its resource name. */
export const kindOf = (sender: string): 'source' | 'audience' | 'signal' =>
  sender.includes('/audiences/') ? 'audience' : sender.includes('/signals/') ? 'signal' : 'source'

type Sender = { value: string; title: string; note?: string; icon?: string }

/** Returns an option for the chosen sender if the list of known senders lacks it. */
const unknown = (known: readonly { name: string }[], chosen: string, title: string): Sender[] =>
  chosen === '' || known.some(({ name }) => name === chosen) ? [] : [{ value: chosen, title }]

/** The senders of a destination for a choice: sources, and the audiences and signals connected to it; '' means all. */
export const useSenders = (
  destination: string,
  { source, audience, signal }: { source: string; audience: string; signal: string },
): Sender[] => {
  const workspace = useWorkspace().name
  const sources = useQuery(allSourcesQuery(workspace)).data ?? []
  const audiences = useQuery(destinationAudiencesQuery(destination)).data ?? []
  const all = useQuery({ ...signalsQuery(workspace), refetchInterval: false }).data ?? []
  const signals = all.filter(({ platforms }) => platforms.some((each) => each.destination === destination))
  return [
    { value: '', title: 'All sources' },
    ...unknown(sources, source, 'Deleted source'),
    ...sources.map(({ name, title, app }) => ({
      value: name,
      title,
      note: app.display_name,
      icon: app.extra.app_icon,
    })),
    ...audiences.map(({ name, title }) => ({ value: name, title, note: 'Audience' })),
    ...unknown(audiences, audience, 'Audience that is not connected'),
    ...signals.map(({ name, title }) => ({ value: name, title, note: 'Signal' })),
    ...unknown(signals, signal, 'Signal that is not connected'),
  ]
}
