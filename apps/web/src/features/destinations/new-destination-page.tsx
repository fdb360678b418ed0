import { useQuery } from '@tanstack/react-query'
import type { CatalogDestination, Source } from '@tributary/contract'
import { type ReactNode, useMemo, useState } from 'react'
import { useNavigate, useParams } from 'react-router'
import { useApiForm } from '../../components/api-form.ts'
import { FillPage, FillSkeleton, FillStep } from '../../components/create-flow.tsx'
import { DocsPanel } from '../../components/docs-panel.tsx'
import { SettingFields } from '../../components/settings/setting-fields.tsx'
import { count, defaultTitle } from '../../lib/format/text.ts'
import { paths } from '../../lib/paths.ts'
import { catalogDestinationQuery, sourcesQuery } from '../../lib/queries/workspace-queries.ts'
import { defaultSettings, filledSettings } from '../../lib/settings/setting-values.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { AppIcon } from '../../ui/app-icon.tsx'
import { type FormHandle, useFormState } from '../../ui/forms/form-state.ts'
import { SearchInput } from '../../ui/forms/input.tsx'
import { LoadFailure } from '../../ui/page/load-failure.tsx'
import { onTab } from '../../ui/tabs.tsx'
import { ApiVersion } from './api-version.tsx'
import { type DestinationForm, destinationForm } from './destination-form.ts'
import { useCreateDestination } from './mutations.ts'
import { nextStep } from './next-step.ts'
import { ReceivedObjects } from './received-objects.tsx'

type OfForm = { form: FormHandle<DestinationForm> }

/** If there are at least as many sources as this, their list has a search box. */
const searchedFrom = 8

const SourceChoices = ({ form, sources }: OfForm & { sources: readonly Source[] }) => {
  const chosen = useFormState(form, ({ values }) => values.sources)
  const [search, setSearch] = useState('')
  const wanted = search.trim().toLowerCase()
  const fits = ({ title, app }: Source): boolean => `${title} ${app.display_name}`.toLowerCase().includes(wanted)
  const found = sources.filter(fits).length
  return (
    <fieldset className="min-w-0 space-y-2">
      <legend className="mb-1.5 text-sm font-medium">Connect sources</legend>
      {sources.length > searchedFrom && (
        <div className="flex flex-wrap items-center gap-3">
          <SearchInput
            label="Search sources"
            value={search}
            onChange={(event) => setSearch(event.target.value)}
            // Enter must not submit the form around the search box.
            onKeyDown={(event) => {
              if (event.key === 'Enter') event.preventDefault()
            }}
          />
          <output className="text-xs text-ink-3 tabular">
            {count(found)} of {count(sources.length)} shown, {count(chosen.length)} chosen
          </output>
        </div>
      )}
      <div className="max-h-56 divide-y divide-line overflow-y-auto scroll-thin rounded-md border border-line">
        {sources.map((source) => (
          <label
            key={source.name}
            // Hidden instead of removed, so that a selected source stays selected.
            hidden={!fits(source)}
            className="flex min-h-10 cursor-pointer items-center gap-3 px-3 py-1.5 hover:bg-hover [&[hidden]]:hidden"
          >
            <input
              type="checkbox"
              checked={chosen.includes(source.name)}
              onChange={({ target }) => {
                const others = chosen.filter((name) => name !== source.name)
                form.change('sources', target.checked ? [...others, source.name] : others)
              }}
              className="size-4 shrink-0 accent-accent"
            />
            <AppIcon icon={source.app.extra.app_icon} className="size-6" />
            <span className="min-w-0 truncate">{source.title}</span>
          </label>
        ))}
      </div>
      <p className="text-xs text-ink-3">
        New events from these sources will be delivered here. You can change this later.
      </p>
    </fieldset>
  )
}

const NewDestinationForm = ({
  app,
  sources,
}: {
  app: CatalogDestination
  /** The sources to choose from; `failure` replaces them when they could not be loaded. */
  sources: { list: readonly Source[]; failure: ReactNode }
}) => {
  const workspace = useWorkspace()
  const navigate = useNavigate()
  const create = useCreateDestination(workspace.name)
  const schema = useMemo(() => destinationForm(app.settings), [app.settings])
  const form = useApiForm<DestinationForm>(schema, {
    title: defaultTitle(app),
    settings: defaultSettings(app.settings),
    sources: [],
  })
  const submit = async ({ title, settings, sources: chosen }: DestinationForm): Promise<void> => {
    const { destination } = await create.mutateAsync({
      title,
      app: { name: app.name },
      settings: filledSettings(app.settings, settings),
      sources: chosen,
    })
    await navigate(paths.destination(destination.name), { state: onTab(nextStep(destination, chosen.length)) })
  }
  return (
    <FillStep
      noun="destination"
      description={`Deliver events to ${app.display_name}.`}
      list={{ label: 'Destinations', to: paths.destinations(workspace.name) }}
      catalog={paths.catalogDestinations(workspace.name)}
      form={form}
      onSubmit={submit}
      aside={
        <DocsPanel app={app} steps={app.guide}>
          <ReceivedObjects app={app} />
          {app.api_version !== null && <ApiVersion {...app.api_version} />}
        </DocsPanel>
      }
    >
      <SettingFields options={app.settings} />
      {sources.list.length > 0 && <SourceChoices form={form} sources={sources.list} />}
      {sources.failure}
    </FillStep>
  )
}

/** The form for a new destination of one entry of the catalog. */
export const NewDestinationPage = () => {
  const workspace = useWorkspace()
  const { slug } = useParams()
  const query = useQuery(catalogDestinationQuery(workspace.name, slug ?? ''))
  const sources = useQuery(sourcesQuery(workspace.name))
  return (
    <FillPage query={query} errorTitle="Failed to load the destination">
      {(app) =>
        sources.isPending ? (
          <FillSkeleton />
        ) : (
          <NewDestinationForm
            key={app.name}
            app={app}
            sources={{
              list: sources.data ?? [],
              failure: sources.data === undefined && (
                <LoadFailure
                  title="Could not load the sources"
                  query={sources}
                  advice="You can also connect sources after you create the destination."
                />
              ),
            }}
          />
        )
      }
    </FillPage>
  )
}
