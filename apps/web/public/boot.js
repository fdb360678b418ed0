// Runs before everything else: the strict content policy forbids compiled validators, and a chosen theme must not flash
// the other one. The key is the one of src/lib/ui-store.ts.
globalThis.__zod_globalConfig = { jitless: true }
try {
  const theme = JSON.parse(localStorage.getItem('tributary-ui') ?? '{}').state?.theme
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme
} catch {
  // A broken entry means the system's theme.
}
