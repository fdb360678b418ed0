import { BookOpen, Braces, CircleHelp, FileCode, Keyboard, LifeBuoy } from 'lucide-react'
import { useConfig } from '../../lib/config.ts'
import { openCommand } from '../../lib/keyboard/command.ts'
import { apiPages } from '../../lib/paths.ts'
import { cn } from '../../ui/cn.ts'
import { Menu, MenuItem, MenuSeparator } from '../../ui/overlays/menu.tsx'
import { useSupport } from '../use-support.ts'
import { sidebarRow } from './sidebar-row.tsx'

/** The sources of help: documentation, support, and the API description. */
export const HelpMenu = ({ narrow }: { narrow: boolean }) => {
  const config = useConfig()
  const mail = config?.links.support_email ?? ''
  const appId = config?.messaging_app_id ?? ''
  const support = useSupport()
  return (
    <Menu
      side="top"
      trigger={
        <button type="button" aria-label="Help" className={cn(sidebarRow, narrow && 'justify-center px-0')}>
          <CircleHelp aria-hidden className="size-4 shrink-0" />
          {!narrow && 'Help'}
        </button>
      }
    >
      {config !== undefined && config.links.documentation !== '' && (
        <MenuItem icon={<BookOpen />} href={config.links.documentation}>
          Documentation
        </MenuItem>
      )}
      {appId === '' ? (
        mail !== '' && (
          <MenuItem icon={<LifeBuoy />} href={`mailto:${mail}`}>
            Support
          </MenuItem>
        )
      ) : (
        <MenuItem icon={<LifeBuoy />} {...(support === undefined ? {} : { onSelect: support })}>
          Support
        </MenuItem>
      )}
      <MenuItem icon={<Keyboard />} onSelect={() => openCommand('shortcuts')}>
        Keyboard shortcuts
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<FileCode />} href={apiPages.docs}>
        API documentation
      </MenuItem>
      <MenuItem icon={<Braces />} href={apiPages.openApi}>
        OpenAPI specification
      </MenuItem>
    </Menu>
  )
}
