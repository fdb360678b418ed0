import {
  ArrowLeftRight,
  Cable,
  House,
  ListTree,
  type LucideIcon,
  Radio,
  Send,
  Sparkles,
  Target,
  UsersRound,
} from 'lucide-react'
import { useFlag } from '../lib/integrations/flags.ts'
import { paths } from '../lib/paths.ts'

/** One area of a workspace: its first page, and the letter after `g` that opens it. */
export type Area = {
  to: string
  label: string
  icon: LucideIcon
  letter: string
  /** True if only the path itself belongs to the area, not the paths below it. */
  end: boolean
  /** Further paths that belong to the area. */
  also: readonly string[]
}

/** The areas of a workspace (a resource name) in the order of the sidebar. */
export const areasOf = (workspace: string, flags: { audiences: boolean; syncs: boolean; signals: boolean }): Area[] => [
  { to: paths.workspace(workspace), label: 'Home', icon: House, letter: 'h', end: true, also: [] },
  {
    to: paths.sources(workspace),
    label: 'Sources',
    icon: Radio,
    letter: 's',
    end: false,
    also: [paths.catalogSources(workspace)],
  },
  {
    to: paths.destinations(workspace),
    label: 'Destinations',
    icon: Send,
    letter: 'd',
    end: false,
    also: [paths.catalogDestinations(workspace), paths.ownConnectors(workspace)],
  },
  { to: paths.connections(workspace), label: 'Connections', icon: Cable, letter: 'c', end: false, also: [] },
  { to: paths.events(workspace), label: 'Events', icon: ListTree, letter: 'e', end: false, also: [] },
  {
    to: paths.profiles(workspace),
    label: 'Profiles',
    icon: UsersRound,
    letter: 'p',
    end: false,
    also: [paths.computedTraits(workspace)],
  },
  ...(flags.audiences
    ? [{ to: paths.audiences(workspace), label: 'Audiences', icon: Target, letter: 'a', end: false, also: [] }]
    : []),
  ...(flags.syncs
    ? [
        {
          to: paths.syncs(workspace),
          label: 'Syncs',
          icon: ArrowLeftRight,
          letter: 'y',
          end: false,
          also: [paths.dataSources(workspace), paths.catalogDataSources(workspace), paths.models(workspace)],
        },
      ]
    : []),
  ...(flags.signals
    ? [{ to: paths.signals(workspace), label: 'Signals', icon: Sparkles, letter: 'i', end: false, also: [] }]
    : []),
]

/** The areas of a workspace that are switched on. */
export const useAreas = (workspace: string): Area[] =>
  areasOf(workspace, { audiences: useFlag('audiences'), syncs: useFlag('syncs'), signals: useFlag('signals') })
