import type { FlagKey, Workspace } from '@tributary/contract'
import {
  ArrowLeftRight,
  BookOpen,
  Braces,
  Eye,
  EyeOff,
  FileCode,
  Keyboard,
  LayoutGrid,
  LifeBuoy,
  LogOut,
  Monitor,
  Moon,
  PanelLeft,
  Plus,
  Radio,
  Sparkles,
  Sun,
  UserRoundPlus,
} from 'lucide-react'
import { setTheme, type Theme, toggleMask, toggleSidebar, useMask, useUi } from '../../lib/browser/ui-store.ts'
import { useConfig } from '../../lib/config.ts'
import { useFlag } from '../../lib/integrations/flags.ts'
import { openCommand } from '../../lib/keyboard/command.ts'
import { apiPages, paths } from '../../lib/paths.ts'
import { openInvite } from '../../lib/people/invite.ts'
import { useSession } from '../../lib/people/session.ts'
import { useIsAdministrator, useMayEdit } from '../../lib/workspace.ts'
import { Avatar } from '../../ui/avatar.tsx'
import type { Area } from '../areas.ts'
import { useSwitchTarget } from '../frame/workspace-switcher.tsx'
import { useSettingsPages } from '../settings-pages.ts'
import { useSupport } from '../use-support.ts'
import type { Command } from './command-entries.ts'

type Go = (to: string, state?: object) => void

const themes: readonly { theme: Theme; label: string; icon: Command['icon'] }[] = [
  { theme: 'light', label: 'Use the light theme', icon: <Sun /> },
  { theme: 'dark', label: 'Use the dark theme', icon: <Moon /> },
  { theme: 'system', label: "Use the system's theme", icon: <Monitor /> },
]

const openTab = (address: string): void => void window.open(address, '_blank', 'noopener,noreferrer')

/** Commands that open the sources of help. */
const useHelp = (): Command[] => {
  const documentation = useConfig()?.links.documentation ?? ''
  const support = useSupport()
  const help = (id: string, label: string, icon: Command['icon'], act: () => void, words = ''): Command => ({
    id,
    heading: 'Help',
    label,
    icon,
    words,
    act,
  })
  return [
    ...(documentation === ''
      ? []
      : [help('docs', 'Documentation', <BookOpen />, () => openTab(documentation), 'help guide')]),
    ...(support === undefined ? [] : [help('support', 'Support', <LifeBuoy />, support, 'help chat mail')]),
    { ...help('shortcuts', 'Keyboard shortcuts', <Keyboard />, () => openCommand('shortcuts')), keys: ['?'] },
    help('api-docs', 'API documentation', <FileCode />, () => openTab(apiPages.docs), 'reference'),
    help('openapi', 'OpenAPI specification', <Braces />, () => openTab(apiPages.openApi), 'swagger'),
  ]
}

/** The objects that a user can create, each with its first page and with the flag that must be on. */
const creations: readonly {
  id: string
  label: string
  to: (workspace: string) => string
  words: string
  flag?: FlagKey
}[] = [
  { id: 'new-source', label: 'New source', to: paths.catalogSources, words: 'add create' },
  { id: 'new-destination', label: 'New destination', to: paths.catalogDestinations, words: 'add create' },
  {
    id: 'new-computed-trait',
    label: 'New computed trait',
    to: paths.newComputedTrait,
    words: 'add create profile count sum',
  },
  { id: 'new-audience', label: 'New audience', to: paths.newAudience, words: 'add create segment', flag: 'audiences' },
  { id: 'new-sync', label: 'New sync', to: paths.newSync, words: 'add create reverse etl rows model', flag: 'syncs' },
  {
    id: 'new-data-source',
    label: 'New data source',
    to: paths.catalogDataSources,
    words: 'add create database warehouse',
    flag: 'syncs',
  },
  {
    id: 'new-signal',
    label: 'New signal',
    to: paths.newSignal,
    words: 'add create conversion ads meta google tiktok',
    flag: 'signals',
  },
]

/** The actions on this page. */
const useActions = (workspace: Workspace, go: Go): Command[] => {
  const mayEdit = useMayEdit() === true
  const administrator = useIsAdministrator() === true
  const theme = useUi((state) => state.theme)
  const masked = useMask((state) => state.on)
  const flags: Partial<Record<FlagKey, boolean>> = {
    audiences: useFlag('audiences'),
    syncs: useFlag('syncs'),
    signals: useFlag('signals'),
  }
  const action = (id: string, label: string, icon: Command['icon'], act: () => void, words = ''): Command => ({
    id,
    heading: 'Actions',
    label,
    icon,
    words,
    act,
  })
  return [
    ...(mayEdit
      ? creations
          .filter(({ flag }) => flag === undefined || flags[flag] === true)
          .map(({ id, label, to, words }) => action(id, label, <Plus />, () => go(to(workspace.name)), words))
      : []),
    ...(administrator
      ? [action('invite', 'Invite a teammate', <UserRoundPlus />, openInvite, 'member people add')]
      : []),
    ...themes
      .filter((each) => each.theme !== theme)
      .map((each) =>
        action(`theme-${each.theme}`, each.label, each.icon, () => setTheme(each.theme), 'appearance color mode'),
      ),
    action('sidebar', 'Collapse or expand the sidebar', <PanelLeft />, toggleSidebar, 'navigation'),
    action(
      'mask',
      masked ? 'Show figures' : 'Hide figures',
      masked ? <Eye /> : <EyeOff />,
      toggleMask,
      'metrics mask privacy',
    ),
    action('sign-out', 'Sign out', <LogOut />, () => go(paths.logout()), 'log out'),
  ]
}

/** Commands for the other workspaces, and for the page that lists all of them. */
const useWorkspaces = (workspace: Workspace, go: Go): { all: Command[]; change: Command[] } => {
  const acting = useSession((state) => state.actOnBehalfOf !== null)
  const own = useSession((state) => state.availableWorkspaces)
  const target = useSwitchTarget(workspace)
  if (acting) return { all: [], change: [] }
  return {
    all: own
      .filter(({ name }) => name !== workspace.name)
      .map((each) => ({
        id: each.name,
        heading: 'Switch workspace',
        label: each.title,
        detail: each.organization?.display_name ?? '',
        words: 'switch workspace',
        icon: <Avatar title={each.title} size="xs" round="md" />,
        act: () => go(target(each)),
      })),
    change: [
      {
        id: 'change-workspace',
        heading: 'Switch workspace',
        label: 'Change workspace',
        words: 'switch organization',
        icon: <ArrowLeftRight />,
        act: () => go(paths.root()),
      },
    ],
  }
}

/** Maximum number of workspaces that are shown before any input. */
const fewWorkspaces = 5

/** The pages and actions that the user may use in a workspace: always shown ones, and those found only by a search. */
export const useCommands = ({
  workspace,
  areas,
  navigate,
}: {
  workspace: Workspace
  areas: readonly Area[]
  navigate: Go
}): { shown: Command[]; searched: Command[] } => {
  const settings = useSettingsPages(workspace.name)
  const actions = useActions(workspace, navigate)
  const help = useHelp()
  const signals = useFlag('signals')
  const { all, change } = useWorkspaces(workspace, navigate)
  const page = (heading: string, label: string, to: string, icon: Command['icon'], words = ''): Command => ({
    id: to,
    heading,
    label,
    icon,
    words,
    act: () => navigate(to),
  })
  const pages = areas.map(({ to, label, icon: Icon, letter }) => ({
    ...page('Go to', label, to, <Icon />, label === 'Home' ? 'overview dashboard' : ''),
    keys: ['G', letter.toUpperCase()],
  }))
  const settingsPages = settings.flatMap(({ title, entries }) =>
    entries.map(({ to, label, icon: Icon }) => ({
      ...page('Settings', label, to, <Icon />, 'settings'),
      detail: title,
    })),
  )
  const few = all.length <= fewWorkspaces
  return {
    shown: [...pages, ...actions, ...settingsPages, ...(few ? all : []), ...change, ...help],
    searched: [
      ...(few ? [] : all),
      page('Go to', 'Source catalog', paths.catalogSources(workspace.name), <LayoutGrid />),
      ...(signals ? [page('Go to', 'Signal sources', paths.signalSources(workspace.name), <Radio />)] : []),
      page('Go to', 'Destination catalog', paths.catalogDestinations(workspace.name), <LayoutGrid />),
      ...(signals
        ? [
            page('Go to', 'Attribution', paths.signalAttribution(workspace.name), <Sparkles />, 'signals conversions'),
            page('Go to', 'Signal settings', paths.signalSettings(workspace.name), <Sparkles />, 'consent'),
          ]
        : []),
    ],
  }
}
