import { useQuery } from '@tanstack/react-query'
import type { Destination, Source } from '@tributary/contract'
import { useState } from 'react'
import { z } from 'zod'
import { useApiForm } from '../../components/api-form.ts'
import { useConnections } from '../../components/use-connections.ts'
import { paths } from '../../lib/paths.ts'
import { destinationsQuery, sourcesQuery } from '../../lib/queries/workspace-queries.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { Form, SubmitButton } from '../../ui/forms/form.tsx'
import { type SearchOption, SearchSelectField } from '../../ui/forms/search-select.tsx'
import { Dialog } from '../../ui/overlays/dialog.tsx'
import { LoadFailure } from '../../ui/page/load-failure.tsx'
import { CardSkeleton } from '../../ui/page/skeleton.tsx'

const connectForm = z.object({
  source: z.string().min(1, 'Choose a source'),
  destination: z.string().min(1, 'Choose a destination'),
})
type Values = z.infer<typeof connectForm>

const optionsOf = (ends: readonly (Source | Destination)[]): SearchOption[] =>
  ends.map(({ name, title, app }) => ({ value: name, title, note: app.display_name, icon: app.extra.app_icon }))

/** Connects any source of the workspace with any of its destinations. */
export const ConnectDialog = ({
  workspace,
  ends = {},
  onClose,
}: {
  workspace: string
  /** The ends that are selected at first. */
  ends?: { source?: string; destination?: string }
  onClose: () => void
}) => {
  const [open, setOpen] = useState(true)
  const sources = useQuery(sourcesQuery(workspace))
  const destinations = useQuery(destinationsQuery(workspace))
  const { connect } = useConnections(workspace, 'Destination')
  const form = useApiForm<Values>(connectForm, { source: '', destination: '', ...ends })
  const submit = async (values: Values): Promise<void> => {
    await connect.mutateAsync(values)
    setOpen(false)
  }
  const missing = sources.data?.length === 0 ? 'source' : destinations.data?.length === 0 ? 'destination' : undefined
  const failed = [
    { title: 'The sources could not be loaded', query: sources },
    { title: 'The destinations could not be loaded', query: destinations },
  ].filter(({ query }) => query.isError && query.data === undefined)
  const loading = sources.data === undefined || destinations.data === undefined
  return (
    <Dialog open={open} onClose={() => setOpen(false)} onClosed={onClose} title="Connect" size="sm">
      {missing !== undefined ? (
        <div className="space-y-4">
          <p className="text-sm text-ink-2">{`This workspace has no ${missing} to connect yet.`}</p>
          <ButtonLink
            variant="primary"
            to={missing === 'source' ? paths.catalogSources(workspace) : paths.catalogDestinations(workspace)}
          >
            {`Add a ${missing}`}
          </ButtonLink>
        </div>
      ) : failed.length > 0 ? (
        <div className="space-y-3">
          {failed.map(({ title, query }) => (
            <LoadFailure key={title} title={title} query={query} />
          ))}
        </div>
      ) : loading ? (
        <CardSkeleton lines={2} />
      ) : (
        <Form form={form} onSubmit={submit} label="Connect" className="space-y-4">
          <SearchSelectField
            name="source"
            label="Source"
            required
            placeholder="Choose…"
            options={optionsOf(sources.data)}
          />
          <SearchSelectField
            name="destination"
            label="Destination"
            required
            placeholder="Choose…"
            options={optionsOf(destinations.data)}
          />
          <div className="flex justify-end">
            <SubmitButton>Connect</SubmitButton>
          </div>
        </Form>
      )}
    </Dialog>
  )
}
