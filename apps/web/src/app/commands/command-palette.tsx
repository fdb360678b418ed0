import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { type FoundObject, methods, type Workspace } from '@tributary/contract'
import { ArrowLeftRight, ListTree, Sparkles, Target } from 'lucide-react'
import { useMemo } from 'react'
import { useNavigate } from 'react-router'
import { remember, useRecent } from '../../lib/browser/recent.ts'
import { workspaceIds } from '../../lib/format/names.ts'
import { useFlag } from '../../lib/integrations/flags.ts'
import { typeCommand, useCommand } from '../../lib/keyboard/command.ts'
import { paths } from '../../lib/paths.ts'
import { query } from '../../lib/queries/query.ts'
import { catalogDestinationsQuery, catalogSourcesQuery } from '../../lib/queries/workspace-queries.ts'
import { useMayEdit } from '../../lib/workspace.ts'
import { AppIcon } from '../../ui/app-icon.tsx'
import { CommandList } from '../../ui/lists/command-list.tsx'
import type { Area } from '../areas.ts'
import { type Command, commandGroups } from './command-entries.ts'
import { copyWriteKey } from './copy-write-key.ts'
import { matchingParts, objectWords } from './object-parts.ts'
import { useCommands } from './use-commands.tsx'

/** Maximum number of objects that a search in a workspace returns. */
const foundLimit = 100

/** Finds the objects of a workspace that match a text, the best match first. */
const searchQuery = (workspace: string, text: string) =>
  query(
    methods.workspaces.search,
    { params: workspaceIds(workspace), query: { search: text, page_size: foundLimit } },
    { retryOnMount: true, gcTime: 60_000, ...(text === '' ? {} : { wait: 120 }) },
  )

const icon = (picture: string) => <AppIcon icon={picture} className="size-5" />

/**
 * Returns the objects of a workspace that may match a text: all of them in a small workspace, otherwise those that the
 * server finds.
 */
const useObjects = (workspace: string, text: string, open: boolean) => {
  const all = useQuery({ ...searchQuery(workspace, ''), enabled: open })
  const many = all.data?.complete === false
  const wanted = text.trim().slice(0, 100)
  const found = useQuery({
    ...searchQuery(workspace, wanted),
    enabled: open && many && wanted !== '',
    placeholderData: keepPreviousData,
  })
  // For the text `archive failures`, the server can only find objects by `archive`.
  const named = objectWords(wanted)
  const ofPart = useQuery({
    ...searchQuery(workspace, named),
    enabled: open && many && named !== '',
    placeholderData: keepPreviousData,
  })
  const searched = many && wanted !== ''
  const whole = (searched ? found.data : all.data)?.objects ?? []
  const names = new Set(whole.map(({ name }) => name))
  const further = searched && named !== '' ? (ofPart.data?.objects ?? []) : []
  return {
    objects: [...whole, ...further.filter(({ name }) => !names.has(name))],
    busy: all.isFetching || (searched && (found.isFetching || ofPart.isFetching)),
    many,
    failed: all.isError || (searched && found.isError),
  }
}

/**
 * Returns a command for each catalog entry that opens the form of that entry, for users who can create such objects.
 */
const useCatalog = (workspace: string, open: boolean, navigate: (to: string) => void): Command[] => {
  const mayEdit = useMayEdit() === true
  const sources = useQuery({ ...catalogSourcesQuery(workspace), enabled: open && mayEdit }).data
  const destinations = useQuery({ ...catalogDestinationsQuery(workspace), enabled: open && mayEdit }).data
  return useMemo(() => {
    if (!mayEdit) return []
    const entry = (kind: string, title: string, app: { name: string; extra: { app_icon: string } }, to: string) => ({
      id: `new ${app.name}`,
      heading: 'Create',
      label: `New ${kind}: ${title}`,
      words: 'add create',
      icon: icon(app.extra.app_icon),
      act: () => navigate(to),
    })
    return [
      ...(sources ?? []).map((app) => entry('source', app.title, app, paths.newSource(workspace, app.name))),
      ...(destinations ?? []).map((app) =>
        entry('destination', app.display_name, app, paths.newDestination(workspace, app.name)),
      ),
    ]
  }, [mayEdit, sources, destinations, workspace, navigate])
}

const kinds = { source: 'Source', destination: 'Destination' } as const

const commandOf = (object: FoundObject, navigate: (to: string) => void): Command => {
  const { name, kind, title, app } = object
  const plain = { id: name, label: title, object }
  if (kind === 'audience')
    return { ...plain, heading: 'Audiences', icon: <Target />, act: () => navigate(paths.audience(name)) }
  if (kind === 'sync')
    return { ...plain, heading: 'Syncs', icon: <ArrowLeftRight />, act: () => navigate(paths.sync(name)) }
  if (kind === 'signal')
    return { ...plain, heading: 'Signals', icon: <Sparkles />, act: () => navigate(paths.signal(name)) }
  return {
    ...plain,
    heading: 'Sources and destinations',
    detail: `${app.display_name} · ${kinds[kind]}`,
    icon: icon(app.extra.app_icon),
    act: () => navigate(paths[kind](name)),
  }
}

/** Whether a text may be the ID of a user or message: one word that contains a digit or one of `@_-`. */
const likeAnId = (text: string): boolean => !/\s/.test(text) && /[\d@_-]/.test(text)

/**
 * Returns commands that link to the events of the user or message with the typed ID. If nothing else matches (`alone`),
 * any word counts as an ID.
 */
const eventCommands = (workspace: string, typed: string, alone: boolean, navigate: (to: string) => void): Command[] => {
  const text = typed.trim()
  if (text === '' || /\s/.test(text) || !(alone || likeAnId(text))) return []
  const entry = (id: string, label: string, to: string): Command => ({
    id,
    heading: 'Events',
    label,
    icon: <ListTree />,
    act: () => navigate(to),
  })
  return [
    entry('events-of-user', `Events of user “${text}”`, paths.events(workspace, { user: text })),
    entry('events-of-message', `Events with message ID “${text}”`, paths.events(workspace, { message: text })),
  ]
}

/** A command for a tab of an object's page, or for an action on the object. */
const partCommand = (
  { object, part }: ReturnType<typeof matchingParts>[number],
  navigate: (to: string) => void,
): Command => ({
  id: `${object.name} ${part.name}`,
  heading: 'Tabs',
  label: `${object.title}: ${part.name}`,
  detail: object.kind === 'source' ? 'Source' : 'Destination',
  icon: icon(object.app.extra.app_icon),
  act: () => (part.act === 'copyKey' ? void copyWriteKey(object.name, () => navigate(part.to)) : navigate(part.to)),
})

/** A search box for every object, page and action of a workspace. */
export const CommandPalette = ({
  open,
  onClose,
  workspace,
  areas,
}: {
  open: boolean
  onClose: () => void
  workspace: Workspace
  areas: readonly Area[]
}) => {
  const text = useCommand((state) => state.text)
  const router = useNavigate()
  const navigate = useMemo(() => (to: string, state?: object) => void router(to, { state }), [router])
  const recent = useRecent((state) => state.byWorkspace[workspace.name]) ?? []
  const flags = { audience: useFlag('audiences'), sync: useFlag('syncs'), signal: useFlag('signals') }
  const { objects: found, busy, failed, many } = useObjects(workspace.name, text, open)
  const objects = found.filter(({ kind }) => kind === 'source' || kind === 'destination' || flags[kind])
  const commands = useCommands({ workspace, areas, navigate })
  const catalog = useCatalog(workspace.name, open, navigate)
  // Recently opened objects come from local storage, even in a workspace with too many objects to load.
  const names = new Set(objects.map(({ name }) => name))
  const known = !many
    ? objects
    : [...objects, ...recent.flatMap(({ object }) => (object === undefined || names.has(object.name) ? [] : [object]))]
  const groups = commandGroups(text, {
    commands: commands.shown,
    hidden: [
      ...commands.searched,
      ...catalog,
      ...matchingParts(text, known).map((part) => partCommand(part, navigate)),
    ],
    objects: known.map((object) => commandOf(object, navigate)),
    recent,
  }).map((group) => ({
    ...group,
    items: group.items.map((entry) => ({
      ...entry,
      act: () => {
        remember(workspace.name, { id: entry.id, ...(entry.object === undefined ? {} : { object: entry.object }) })
        entry.act()
      },
    })),
  }))
  const events = eventCommands(workspace.name, text, groups.length === 0 && !busy, navigate)
  return (
    <CommandList
      open={open}
      onClose={onClose}
      text={text}
      onText={typeCommand}
      groups={events.length === 0 ? groups : [...groups, { heading: 'Events', items: events }]}
      busy={busy}
      empty={failed ? 'The workspace could not be searched. Try again.' : `Nothing matches “${text.trim()}”`}
    />
  )
}
