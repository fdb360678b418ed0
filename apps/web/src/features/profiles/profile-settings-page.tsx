import { paths } from '../../lib/paths.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { PageHeader } from '../../ui/page/page-header.tsx'
import { IdentityTab } from './identity-tab.tsx'

/** What the workspace decides about its profiles. */
export const ProfileSettingsPage = () => {
  const workspace = useWorkspace()
  return (
    <>
      <PageHeader
        title="Profile settings"
        documentTitle="Profile settings"
        description="How events become profiles in this workspace."
        crumbs={[{ label: 'Profiles', to: paths.profiles(workspace.name) }]}
      />
      <IdentityTab />
    </>
  )
}
