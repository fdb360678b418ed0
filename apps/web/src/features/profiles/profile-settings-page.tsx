import { paths } from '../../lib/paths.ts'
import { useWorkspace } from '../../lib/workspace.ts'
import { PageHeader } from '../../ui/page/page-header.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { ApiTab } from './api-tab.tsx'
import { IdentityTab } from './identity-tab.tsx'

/** The profile settings of the workspace. */
export const ProfileSettingsPage = () => {
  const workspace = useWorkspace()
  return (
    <>
      <PageHeader
        title="Profile settings"
        description="How events become profiles in this workspace, and who can read them."
        crumbs={[{ label: 'Profiles', to: paths.profiles(workspace.name) }]}
      />
      <Tabs
        browsable
        label="Profile settings"
        tabs={[
          { id: 'identity', name: 'Identity', content: <IdentityTab /> },
          { id: 'api', name: 'Profile API', hash: 'api', content: <ApiTab /> },
        ]}
      />
    </>
  )
}
