import { writeFileSync } from 'node:fs'

/** A vitest reporter that writes what .ci/steps.mjs counts as JSON to the file that `CI_RESULTS` names. */
export default class Results {
  onTestRunEnd(modules, unhandledErrors) {
    const tests = modules.flatMap((module) => [...module.children.allTests()])
    const suites = modules.flatMap((module) => [module, ...module.children.allSuites()])
    const failures = [
      ...tests.map((test) => [test, test.result().errors]),
      ...suites.map((each) => [each, each.errors()]),
    ]
    const results = {
      passed: tests.filter((test) => test.result().state === 'passed').map(({ id }) => id),
      failed: failures.flatMap(([each, errors = []]) => (errors.length > 0 ? [describe(each, errors[0])] : [])),
      errors: unhandledErrors.map(firstLine),
    }
    writeFileSync(process.env.CI_RESULTS, JSON.stringify(results))
  }
}

/** `name`: as `vitest -t` matches it; null if a whole file or suite failed. */
const describe = (each, error) => ({
  id: each.id,
  file: (each.module ?? each).relativeModuleId,
  name: each.type === 'test' ? nameOf(each) : null,
  error: firstLine(error),
})

const nameOf = ({ name, parent }) => (parent.type === 'suite' ? `${nameOf(parent)} ${name}` : name)

const firstLine = ({ message = '' }) => message.split('\n')[0].slice(0, 300)
