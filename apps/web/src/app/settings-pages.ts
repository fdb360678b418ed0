import {
  Building2,
  ContactRound,
  CreditCard,
  Globe,
  History,
  KeyRound,
  KeySquare,
  Link2,
  type LucideIcon,
  Network,
  ServerCog,
  ShieldCheck,
  UserRound,
  UserRoundCog,
  Users,
} from 'lucide-react'
import { useFlag } from '../lib/integrations/flags.ts'
import { paths } from '../lib/paths.ts'
import { platformAdminsOnly, useAccess, useIsAdministrator } from '../lib/workspace.ts'

/** Pages of the settings under a heading. */
export type SettingsGroup = { title: string; entries: readonly { to: string; label: string; icon: LucideIcon }[] }

/** The settings pages that the user can open, in the groups of their sidebar; `workspace` is a resource name. */
export const useSettingsPages = (workspace: string): SettingsGroup[] => {
  const administrator = useIsAdministrator() === true
  const platformAdmin = useAccess(platformAdminsOnly) === true
  const customDomain = useFlag('custom-domain')
  const organization: SettingsGroup = {
    title: 'Organization',
    entries: [
      { to: paths.organizationSettings(workspace), label: 'General', icon: Building2 },
      { to: paths.billing(workspace), label: 'Billing', icon: CreditCard },
      { to: paths.members(workspace), label: 'Members', icon: Users },
      { to: paths.apiKeys(workspace), label: 'API keys', icon: KeySquare },
      { to: paths.auditLog(workspace), label: 'Audit log', icon: History },
    ],
  }
  const ofWorkspace: SettingsGroup = {
    title: 'Workspace',
    entries: [
      { to: paths.personalData(workspace), label: 'Personal data', icon: ContactRound },
      ...(administrator ? [{ to: paths.privacy(workspace), label: 'Privacy', icon: ShieldCheck }] : []),
    ],
  }
  const account: SettingsGroup = {
    title: 'My Account',
    entries: [
      { to: paths.account(workspace), label: 'Account', icon: UserRound },
      { to: paths.changePassword(workspace), label: 'Change password', icon: KeyRound },
    ],
  }
  const admin: SettingsGroup = {
    title: 'Super Admin',
    entries: [
      { to: paths.organizations(workspace), label: 'Organizations', icon: Network },
      { to: paths.actOnBehalf(workspace), label: 'Act on behalf', icon: UserRoundCog },
      { to: paths.onboardingLink(workspace), label: 'Onboarding link', icon: Link2 },
      { to: paths.installation(workspace), label: 'Installation', icon: ServerCog },
      ...(customDomain ? [{ to: paths.customDomain(workspace), label: 'Custom domain', icon: Globe }] : []),
    ],
  }
  return [...(administrator ? [organization] : []), ofWorkspace, account, ...(platformAdmin ? [admin] : [])]
}
