// Adds up vitest's JSON reports and prints "N passed, N failed", with the reasons; a skipped test is a failure here.
import { readFileSync } from 'node:fs';

let passed = 0;
let failed = 0;
for (const file of process.argv.slice(2)) {
  const report = JSON.parse(readFileSync(file, 'utf8'));
  passed += Number(report.numPassedTests);
  failed += report.numTotalTests - report.numPassedTests;
  for (const suite of report.testResults) {
    if (suite.status === 'failed' && suite.assertionResults.length === 0) failed += 1;
    for (const test of suite.assertionResults) {
      if (test.status === 'passed') continue;
      console.log(`not passed: ${test.fullName} (${test.status})`, ...(test.failureMessages ?? []));
    }
  }
}
console.log(`${passed} passed, ${failed} failed`);
if (failed > 0 || passed === 0) process.exitCode = 1;
