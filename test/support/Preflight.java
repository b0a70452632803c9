// Holds PDF files against PDF/A-1a with Apache PDFBox, for tests: prints one line a file, `valid` or its errors.

import java.io.File;
import java.util.stream.Collectors;
import org.apache.pdfbox.preflight.Format;
import org.apache.pdfbox.preflight.PreflightDocument;
import org.apache.pdfbox.preflight.ValidationResult;
import org.apache.pdfbox.preflight.parser.PreflightParser;

public class Preflight {
  public static void main(String[] files) throws Exception {
    for (String file : files) {
      PreflightParser parser = new PreflightParser(new File(file));
      parser.parse(Format.PDF_A1A);
      try (PreflightDocument document = parser.getPreflightDocument()) {
        document.validate();
        ValidationResult result = document.getResult();
        System.out.println(result.isValid() ? "valid" : result.getErrorsList().stream()
            .map(error -> error.getErrorCode() + " " + error.getDetails())
            .collect(Collectors.joining("; ")));
      }
    }
  }
}
