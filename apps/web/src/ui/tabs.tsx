import { Tabs as Base } from '@base-ui/react/tabs'
import { isRecord } from '@tributary/kernel/record'
import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useLocation, useNavigate } from 'react-router'

export type TabItem = {
  id: string
  name: string
  icon?: ReactNode
  hash?: string
  badge?: ReactNode
  content: ReactNode
}

/**
 * Returns the tab that the hash of a URL names. If no tab has this hash, returns the tab that has none, otherwise the
 * first.
 */
export const tabOfHash = (tabs: readonly { id: string; hash?: string }[], hash: string): string => {
  const wanted = hash.replace(/^#/, '')
  const found =
    tabs.find((tab) => (tab.hash ?? '') === wanted) ?? tabs.find((tab) => (tab.hash ?? '') === '') ?? tabs[0]
  return found?.id ?? ''
}

/** Returns the state of a visit that selects a tab if the URL names none. */
export const onTab = (id: string): { tab: string } => ({ tab: id })

/** The tab that a visit (a location of the router) selects; '' for none. */
export const tabOfVisit = ({ hash, state }: { hash: string; state: unknown }): string => {
  if (hash !== '') return hash.slice(1)
  return isRecord(state) && 'tab' in state && typeof state.tab === 'string' ? state.tab : ''
}

/** Fades the left or right end of the strip if there are more tabs behind it. */
const fade = (list: HTMLElement): void => {
  const left = list.scrollLeft > 1
  const right = list.scrollLeft + list.clientWidth < list.scrollWidth - 1
  list.style.maskImage =
    left || right
      ? `linear-gradient(to right, ${left ? 'transparent, #000 2.5rem' : '#000'}, ${right ? '#000 calc(100% - 2.5rem), transparent' : '#000'})`
      : ''
}

/**
 * A strip of tabs. It scrolls if they do not fit; the selected tab stays in view, also when badges appear. In browsable
 * mode, the hash of the URL selects the tab; without a hash, the state of the visit does. Choosing a tab then sets or
 * removes the hash.
 */
export const Tabs = ({
  tabs,
  browsable = false,
  chosen,
  label,
}: {
  tabs: readonly TabItem[]
  browsable?: boolean
  /**
   * The selected tab and the function that changes it, if the parent stores them, such as when the tabs are mounted
   * again at another page width.
   */
  chosen?: readonly [id: string, choose: (id: string) => void]
  label: string
}) => {
  const location = useLocation()
  const navigate = useNavigate()
  const own = useState(tabs[0]?.id ?? '')
  const [picked, pick] = chosen ?? own
  const active = browsable ? tabOfHash(tabs, tabOfVisit(location)) : picked
  const list = useRef<HTMLDivElement>(null)
  const shownTabs = tabs.map(({ id }) => id).join(' ')
  useEffect(() => {
    const strip = list.current
    if (strip === null) return
    const show = (): void => {
      const shown = strip.querySelector<HTMLElement>(`[data-tab="${active}"]`)
      if (shown !== null) {
        // Scrolls only as far as needed, so that the selected tab is not faded.
        const [start, end] = [shown.offsetLeft - 48, shown.offsetLeft + shown.offsetWidth + 48 - strip.clientWidth]
        strip.scrollLeft = Math.min(Math.max(strip.scrollLeft, end), start)
      }
      fade(strip)
    }
    show()
    const observer = new ResizeObserver(show)
    observer.observe(strip)
    // A badge makes its tab wider. This moves the later tabs, but does not change the width of the strip.
    for (const tab of strip.querySelectorAll('[data-tab]')) observer.observe(tab)
    return () => observer.disconnect()
  }, [active, shownTabs])
  const choose = (id: string): void => {
    if (!browsable) return pick(id)
    const hash = tabs.find((tab) => tab.id === id)?.hash
    void navigate(
      { pathname: location.pathname, search: location.search, hash: hash ?? '' },
      // Renders immediately: while a page is busy, a click on the tab that is still shown would otherwise have no
      // effect.
      { replace: true, preventScrollReset: true, flushSync: true },
    )
  }
  return (
    <Base.Root value={active} onValueChange={(id: string) => choose(id)}>
      <Base.List
        ref={list}
        aria-label={label}
        onScroll={(event) => fade(event.currentTarget)}
        className="relative mb-5 flex gap-1 overflow-x-auto border-b border-line [scrollbar-width:none]"
      >
        {tabs.map((tab) => (
          <Base.Tab
            key={tab.id}
            value={tab.id}
            data-tab={tab.id}
            className="group -mb-px flex h-9 shrink-0 items-center border-b-2 border-transparent text-sm font-medium text-ink-2 outline-none hover:text-ink data-active:border-ink data-active:text-ink"
          >
            <span className="flex items-center gap-1.5 rounded-md px-2 py-1 group-hover:bg-hover group-focus-visible:outline-2 group-focus-visible:outline-accent [&_svg]:size-4">
              {tab.icon}
              {tab.name}
              {tab.badge}
            </span>
          </Base.Tab>
        ))}
      </Base.List>
      {tabs.map((tab) => (
        <Base.Panel key={tab.id} value={tab.id} className="rounded-sm outline-offset-4">
          {tab.content}
        </Base.Panel>
      ))}
    </Base.Root>
  )
}
